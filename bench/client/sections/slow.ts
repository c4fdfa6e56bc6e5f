import { setTimeout as wait } from 'node:timers/promises';
import { atLeast, atMost } from '../../overload/checks.js';
import { roundTo } from '../../overload/statistics.js';
import type { Report } from '../../report.js';
import { Backend } from '../backend.js';
import { Caller } from '../caller.js';
import type { FloodFound } from '../callers/flood.js';
import { SENDERS, type SenderName } from '../callers/senders.js';

/** One of four has a quarter of the speed. */
const COSTS_MS = [4, 4, 4, 16];
const CAPACITY = COSTS_MS.reduce((sum, costMs) => sum + 1_000 / costMs, 0);
const LOAD = 0.78;

const FLOOD = {
  perSecond: CAPACITY * LOAD,
  // Weights are used after 10 s (gRFC A58). Until then a hundred requests pile up at the slow one, 1.6 s of work; with a
  // fifth of its time to spare that takes it 8 s.
  warmUpSeconds: 22,
  seconds: 15,
  // Longer than a hundred requests take at the slow one, which is as many as a client has there.
  timeoutMs: 5_000,
  seed: 1,
};

interface Measured extends FloodFound {
  readonly sender: SenderName;
  readonly busyShares: readonly number[];
}

/** Backends that differ: a policy that knows how full they are, and those that do not. */
export async function measureSlow(): Promise<Report> {
  const measured: Measured[] = [];
  for (const sender of SENDERS) measured.push(await measure(sender));
  const p99 = (name: SenderName) => measured.find(({ sender }) => sender === name)!.p99Ms;
  const weighted = measured.find(({ sender }) => sender === 'weighted')!;
  return {
    bench: `client: one of four backends is four times slower, load ${LOAD}`,
    rows: measured.map(rowOf),
    checks: [
      atMost('p99, weighted to BalancedPool', p99('weighted') / p99('balanced-pool'), 0.5),
      atMost('p99, weighted to round robin', p99('weighted') / p99('round-robin'), 0.5),
      atMost('p99, prequal to BalancedPool', p99('prequal') / p99('balanced-pool'), 0.5),
      atMost('p99, prequal to round robin', p99('prequal') / p99('round-robin'), 0.5),
      atMost('busiest backend to the mean, weighted', spread(weighted.busyShares), 1.15),
      atMost('failed requests, weighted', weighted.failed, 0),
      // Else it was no load.
      atLeast('requests a second, weighted', weighted.goodput, 0.95 * FLOOD.perSecond),
    ],
  };
}

/** New backends each time: what one sender has piled up must not meet the next. */
async function measure(sender: SenderName): Promise<Measured> {
  const backends: Backend[] = [];
  const caller = new Caller();
  try {
    for (const costMs of COSTS_MS) backends.push(await Backend.start({ kind: 'worker', costMs }));
    await caller.flood({ ...FLOOD, sender, urls: backends.map(({ url }) => url) });
    const before = await workedMs(backends);
    const startMs = performance.now();
    // The last requests have been sent by then, and what is piled up would go on.
    await wait(FLOOD.seconds * 1_000);
    const after = await workedMs(backends);
    const tookMs = performance.now() - startMs;
    const busyShares = after.map((ms, index) => (ms - before[index]!) / tookMs);
    return { ...(await caller.flooded()), sender, busyShares };
  } finally {
    await Promise.all([caller, ...backends].map((each) => each.stop()));
  }
}

function workedMs(backends: readonly Backend[]): Promise<number[]> {
  return Promise.all(backends.map((backend) => backend.workedMs()));
}

function spread(shares: readonly number[]): number {
  return (Math.max(...shares) * shares.length) / shares.reduce((sum, share) => sum + share, 0);
}

function rowOf({ sender, sent, goodput, failed, p50Ms, p99Ms, busyShares }: Measured): object {
  return {
    sender,
    sent,
    'good/s': Math.round(goodput),
    failed,
    'p50 ms': roundTo(p50Ms, 1),
    'p99 ms': roundTo(p99Ms, 1),
    busy: busyShares.map((share) => share.toFixed(2)).join(' '),
    'max/mean busy': roundTo(spread(busyShares), 2),
  };
}
