import { createLimiter } from 'plimsoll/rate-limit';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { median } from '../../overload/statistics.js';

export interface SpeedOptions {
  readonly keys: number;
  readonly rounds: number;
}

/** Decisions a second, the median of all rounds, and the median of what each round's ratio to the peer was. */
export interface Speed {
  readonly name: string;
  readonly perSecond: number;
  readonly ratio: number;
}

/** So many that nobody is refused: a peer's refusal is a rejected promise, which would be measured instead. */
const LIMIT = 1_000_000_000;
const ROUND_MS = 200;
/** Long enough that the clock is not what is measured, short enough that rounds end in time. */
const BATCH = 2_000;
/** A stride that shares no factor with the number of keys, so that all of them come, in no order of memory. */
const STRIDE = 7_919;

type Work = (key: (index: number) => string, from: number, count: number) => unknown;

/** The same limit in all of them: a fixed window of an hour, which is what the peer has. */
function contenders(): Record<string, Work> {
  const peer = new RateLimiterMemory({ points: LIMIT, duration: 3_600 });
  const options = { algorithm: 'fixed-window', limit: LIMIT, window: 'h' } as const;
  const [now, later] = [createLimiter(options), createLimiter(options)];
  const sliding = createLimiter({ ...options, algorithm: 'sliding-counter' });
  return {
    'rate-limiter-flexible, await consume': async (key, from, count) => {
      for (let i = 0; i < count; i++) await peer.consume(key(from + i));
    },
    'plimsoll, await take': async (key, from, count) => {
      for (let i = 0; i < count; i++) await later.take(key(from + i));
    },
    'plimsoll, takeNow': (key, from, count) => {
      for (let i = 0; i < count; i++) now.takeNow(key(from + i));
    },
    'plimsoll, takeNow, sliding-counter': (key, from, count) => {
      for (let i = 0; i < count; i++) sliding.takeNow(key(from + i));
    },
  };
}

/** One after the other in each round: what disturbs the machine for a while disturbs all of them. */
export async function compareSpeeds({ keys, rounds }: SpeedOptions): Promise<Speed[]> {
  const texts = Array.from({ length: keys }, (_, i) => `user:${1_000_000 + i}`);
  const key = keys === 1 ? () => texts[0]! : (index: number) => texts[(index * STRIDE) % keys]!;
  const works = Object.entries(contenders());
  // All keys are known to all, and all code is compiled.
  for (const [, work] of works) await work(key, 0, Math.max(keys, 200_000));
  const rates = works.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, work]] of works.entries()) rates[index]!.push(await rateOf(work, key));
  }
  return works.map(([name], index) => ({
    name,
    perSecond: median(rates[index]!),
    ratio: median(rates[index]!.map((rate, round) => rate / rates[0]![round]!)),
  }));
}

async function rateOf(work: Work, key: (index: number) => string): Promise<number> {
  const startedMs = performance.now();
  let done = 0;
  while (performance.now() - startedMs < ROUND_MS) {
    await work(key, done, BATCH);
    done += BATCH;
    // As a server does between requests: timers and what is due at the end of a turn have their time.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (done / (performance.now() - startedMs)) * 1_000;
}
