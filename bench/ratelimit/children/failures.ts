import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type LimiterSnapshot,
  type RedisStore,
  redisStore,
} from 'plimsoll/rate-limit';
import { OwnClock } from '../../own-clock.js';

export interface FailuresOptions extends Partial<Omit<LimiterOptions, 'store'>> {
  readonly url: string;
  readonly perSecond: number;
}

/** What was decided so far, and how much of it without the store. */
export interface Decided extends LimiterSnapshot {
  readonly decisions: number;
  readonly slowestMs: number;
  /** The same without what this process itself stood still meanwhile. */
  readonly slowestOwnMs: number;
  /** The longest that this process itself did nothing, as seen by a timer of 5 ms. */
  readonly longestDelayMs: number;
  readonly mishaps: number;
}

export interface Failures extends Decided {
  /** Of the store, when all is over. */
  readonly pending: number;
}

const EVERY_MS = 5;

const clock = new OwnClock();

let running: { store: RedisStore; limiter: Limiter; timer: NodeJS.Timeout; found: Counts } | undefined;

interface Counts {
  decisions: number;
  slowestMs: number;
  slowestOwnMs: number;
  longestDelayMs: number;
  mishaps: number;
}

/** A limit that nobody reaches: what is refused is so for want of a store. */
const PLENTY = { algorithm: 'gcra', limit: 1_000_000, window: 'minute' } as const;

/** Decides at an even rate until it is told to stop, whatever becomes of Redis. */
export async function startDeciding({ url, perSecond, ...given }: FailuresOptions): Promise<void> {
  const store = await redisStore({ url });
  const limiter = createLimiter({ ...PLENTY, ...given, store });
  const found: Counts = { decisions: 0, slowestMs: 0, slowestOwnMs: 0, longestDelayMs: 0, mishaps: 0 };
  process.on('unhandledRejection', () => found.mishaps++);
  process.on('uncaughtException', () => found.mishaps++);
  let lastMs = performance.now();
  let due = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    found.longestDelayMs = Math.max(found.longestDelayMs, now - lastMs - EVERY_MS);
    due += ((now - lastMs) * perSecond) / 1_000;
    lastMs = now;
    for (; due >= 1; due--) void decide(limiter, found);
  }, EVERY_MS);
  running = { store, limiter, timer, found };
}

async function decide(limiter: Limiter, found: Counts): Promise<void> {
  const [startedMs, begunMs] = [performance.now(), clock.nowMs()];
  await limiter.take(`user:${found.decisions % 100}`);
  found.decisions++;
  found.slowestMs = Math.max(found.slowestMs, performance.now() - startedMs);
  found.slowestOwnMs = Math.max(found.slowestOwnMs, clock.nowMs() - begunMs);
}

export function decided(): Decided {
  const { limiter, found } = running!;
  return { ...limiter.snapshot(), ...found };
}

export async function stopDeciding(): Promise<Failures> {
  const { store, limiter, timer } = running!;
  clearInterval(timer);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const all = decided();
  const { pending } = store.snapshot();
  await limiter.close();
  await store.close();
  return { ...all, pending };
}
