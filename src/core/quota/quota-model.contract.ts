import type { Criticality } from '../criticality.js';
import type { Random } from '../environment.js';
import { SeededRandom } from '../seeded-random.js';
import type { QuotaEnforcement } from './quota-enforcement.js';

/** Requests of one customer at one criticality: Poisson arrivals, each with a cost that is known when it is done. */
export interface Stream {
  readonly customer: string;
  readonly criticality: Criticality;
  /** Requests a second, at an instant. */
  readonly rate: (now: number) => number;
  /** 1 unless said. */
  readonly cost?: (random: Random, now: number) => number;
  /** 50 ms unless said. */
  readonly latencyMs?: (random: Random) => number;
  /** Uniform unless said. */
  readonly order?: (random: Random) => number;
}

/** What became of a stream in one second of the run. */
export interface Second {
  arrived: number;
  refused: number;
  /** Cost of those that were done in it. */
  used: number;
}

/** Drives a QuotaEnforcement as a server does, millisecond by millisecond. One list of seconds for each stream. */
export function runStreams(
  quota: QuotaEnforcement,
  streams: readonly Stream[],
  seconds: number,
  seed = 1,
): Second[][] {
  const generators = streams.map((_, index) => new SeededRandom(seed, index));
  const tallies = streams.map(() =>
    Array.from({ length: seconds }, (): Second => ({ arrived: 0, refused: 0, used: 0 })),
  );
  const done = new Map<number, { stream: number; cost: number }[]>();
  for (let now = 0; now < seconds * 1_000; now++) {
    const second = Math.floor(now / 1_000);
    for (const { stream, cost } of done.get(now) ?? []) {
      const { customer, criticality } = streams[stream]!;
      quota.charge(customer, criticality, cost, now);
      tallies[stream]![second]!.used += cost;
    }
    done.delete(now);
    for (const [index, stream] of streams.entries()) {
      const generator = generators[index]!;
      const random = () => generator.next();
      for (let arrivals = poisson(stream.rate(now) / 1_000, random); arrivals > 0; arrivals--) {
        const tally = tallies[index]![second]!;
        const order = stream.order?.(random) ?? random();
        const cost = stream.cost?.(random, now) ?? 1;
        const doneMs = now + Math.max(1, Math.round(stream.latencyMs?.(random) ?? 50));
        tally.arrived++;
        if (quota.admit(stream.customer, stream.criticality, order, now) === 'refuse') tally.refused++;
        else done.set(doneMs, [...(done.get(doneMs) ?? []), { stream: index, cost }]);
      }
    }
  }
  return tallies;
}

/** Mean per second of what is counted, from one second to another. */
export function meanOf(
  tally: readonly Second[],
  what: keyof Second,
  from: number,
  to = tally.length,
): number {
  let sum = 0;
  for (let second = from; second < to; second++) sum += tally[second]![what];
  return sum / (to - from);
}

/** Exponential with mean 1. */
export function exponential(random: Random): number {
  return -Math.log(1 - random());
}

/** Knuth's method: fit for the small means of a millisecond. */
export function poisson(mean: number, random: Random): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}
