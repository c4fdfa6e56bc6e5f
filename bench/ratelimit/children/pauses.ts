import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLimiter, memoryStore } from 'plimsoll/rate-limit';
import { collectGarbage } from '../../measure.js';
import { stolenMs } from '../../overload/stolen-time.js';

export interface PausesOptions {
  readonly keys: number;
}

export interface Pause {
  readonly what: 'growing' | 'reclaiming';
  /** The longest turn of the event loop. */
  readonly longestMs: number;
  /** The longest without the time in which others had the core. */
  readonly longestRunMs: number;
  /** The longest without that, and without the time in which garbage was collected. */
  readonly longestOwnMs: number;
  /** Keys that are there afterwards. */
  readonly keys: number;
}

/** Some 100 µs of work in each turn of the event loop: what takes longer is a pause. */
const BATCH = 100;
/** Shorter ones are none. */
const LONG_MS = 1;
const WINDOW_MS = 60_000;

/**
 * Keys that come once, up to a number; then, as all of them have expired, others that come once. With each of those a few
 * are forgotten, and some by the store's own timer, which runs between.
 */
export async function pausesOf({ keys }: PausesOptions): Promise<Pause[]> {
  const time = { ms: 0 };
  const environment = { monotonicMs: () => time.ms, wallMs: () => 1_800_000_000_000, random: Math.random };
  const store = memoryStore({ maxKeys: 2 * keys, environment });
  const limiter = createLimiter({ algorithm: 'gcra', limit: 10, windowMs: WINDOW_MS, store });
  await warmUp();
  collectGarbage();

  const take = (name: string) => (index: number) => limiter.takeNow(`${name}:${index}`);
  const grown = await longestTurn(keys, take('user'));
  const growing: Pause = { what: 'growing', ...grown, keys: store.snapshot().keys };
  time.ms += 2 * WINDOW_MS;
  const reclaimed = await longestTurn(keys / 2, take('other'));
  const reclaiming: Pause = { what: 'reclaiming', ...reclaimed, keys: store.snapshot().keys };
  await store.close();
  return [growing, reclaiming];
}

/** Compiled code and a heap that has been used, as of a server that runs. */
async function warmUp(): Promise<void> {
  const limiter = createLimiter({ algorithm: 'gcra', rate: '10/s' });
  for (let i = 0; i < 50_000; i++) limiter.takeNow(`warm:${i}`);
  await limiter.close();
}

type Turns = Pick<Pause, 'longestMs' | 'longestRunMs' | 'longestOwnMs'>;

async function longestTurn(count: number, take: (index: number) => unknown): Promise<Turns> {
  const collections: { readonly startTime: number; readonly duration: number }[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  const long: { readonly beganMs: number; readonly endedMs: number; readonly stolenMs: number }[] = [];
  let beganMs = performance.now();
  let stolen = stolenMs();
  for (let done = 0; done < count; done += BATCH) {
    for (let i = 0; i < BATCH; i++) take(done + i);
    await nextTurn();
    const endedMs = performance.now();
    const now = stolenMs();
    if (endedMs - beganMs > LONG_MS) long.push({ beganMs, endedMs, stolenMs: now - stolen });
    stolen = now;
    beganMs = endedMs;
  }
  // What the observer has seen is told with the next turns.
  await nextTurn();
  await nextTurn();
  observer.disconnect();
  const longest = (lengthOf: (turn: (typeof long)[number]) => number) => Math.max(0, ...long.map(lengthOf));
  return {
    longestMs: longest((turn) => turn.endedMs - turn.beganMs),
    longestRunMs: longest((turn) => turn.endedMs - turn.beganMs - turn.stolenMs),
    longestOwnMs: longest(({ beganMs, endedMs, stolenMs }) => {
      const within = collections.filter(({ startTime }) => startTime >= beganMs && startTime < endedMs);
      const collectedMs = within.reduce((sum, { duration }) => sum + duration, 0);
      // Both may be the same time: one who collects garbage may wait for a core.
      return endedMs - beganMs - Math.max(stolenMs, collectedMs);
    }),
  };
}
