import { setTimeout as sleep } from 'node:timers/promises';
import { createLimiter, type Limiter, redisStore } from 'plimsoll/rate-limit';

export interface LeasedOptions {
  readonly url: string;
  readonly limit: number;
  /** The part of the time that this process decides; it idles the rest. */
  readonly busyPart: number;
  /** By the wall clock, the same for all processes. */
  readonly fromMs: number;
  readonly windows: number;
}

export interface LeasedWindow {
  /** Allowed for certain within that second, and in a batch that began in it and ended in the next. */
  readonly allowed: number;
  readonly across: number;
  readonly decisions: number;
}

const WINDOW_MS = 1_000;
/** Some 20 µs: what lies across two windows is little. */
const BATCH = 200;
/** Batches between two turns of the event loop. */
const BATCHES = 50;

/** How much each window of a second lets pass, of a process that asks as fast as it can. */
export async function decideLeased(options: LeasedOptions): Promise<LeasedWindow[]> {
  const { url, limit, busyPart, fromMs, windows } = options;
  const store = await redisStore({ url });
  const limiter = createLimiter({
    algorithm: 'fixed-window',
    limit,
    windowMs: WINDOW_MS,
    store,
    lease: true,
  });
  const found = Array.from({ length: windows }, () => ({ allowed: 0, across: 0, decisions: 0 }));
  await limiter.take('warm');
  for (let i = 0; i < 200_000; i++) limiter.takeNow('warm');
  await sleep(fromMs - Date.now());
  const windowAt = (): number => Math.floor((Date.now() - fromMs) / WINDOW_MS);
  for (let window = windowAt(); window < windows; window = windowAt()) {
    const startedMs = performance.now();
    for (let batch = 0; batch < BATCHES; batch++) window = decideBatch(limiter, found, window, windowAt);
    const idleMs = (performance.now() - startedMs) * (1 / busyPart - 1);
    if (idleMs > 1) await sleep(idleMs);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  await limiter.close();
  await store.close();
  return found;
}

function decideBatch(
  limiter: Limiter,
  found: { allowed: number; across: number; decisions: number }[],
  begunIn: number,
  windowAt: () => number,
): number {
  let allowed = 0;
  for (let i = 0; i < BATCH; i++) {
    if (limiter.takeNow('key').allowed) allowed++;
  }
  const window = windowAt();
  const counts = found[begunIn];
  if (counts !== undefined) {
    counts.decisions += BATCH;
    if (window === begunIn) counts.allowed += allowed;
    else counts.across += allowed;
  }
  return window;
}
