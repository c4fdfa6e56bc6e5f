import type { Criticality } from '../criticality.js';
import { nearestRank } from '../measuring/nearest-rank.js';
import { SeededRandom } from '../seeded-random.js';
import { type QueuedRequest, RunQueue } from './run-queue.js';
import type { RunQueueOptions } from './run-queue-options.js';

const SERVICE_MS = 2;
const CLIENT_TIMEOUT_MS = 1_000;

interface Arrival extends QueuedRequest {
  readonly atMs: number;
}

export interface Load {
  /** Offered over capacity, which is one request each 2 ms. */
  readonly load: number;
  readonly seconds?: number;
  readonly seed?: number;
  /** Arrivals are Poisson, 5 % of them CRITICAL_PLUS unless said otherwise. */
  readonly plusShare?: number;
  readonly customer?: (random: SeededRandom) => string;
  readonly options?: Partial<RunQueueOptions>;
}

export interface Report {
  /** Answered in time, per second. */
  readonly goodput: number;
  readonly p50WaitMs: number;
  readonly p99WaitMs: number;
  readonly plus: { readonly offered: number; readonly served: number; readonly waiting: number };
  readonly refused: number;
  readonly evicted: number;
  /** How long those had waited who were evicted. */
  readonly p99EvictedMs: number;
  /** In the order in which they were served. */
  readonly customers: readonly string[];
}

function quantile(values: number[], q: number): number {
  return values.toSorted((a, b) => a - b)[nearestRank(q, values.length) - 1] ?? 0;
}

/** One worker, 2 ms a request, refusals free: what the queue alone makes of too much work. */
export function simulate(given: Load): Report {
  const { load, seconds = 10, seed = 1, plusShare = 0.05, customer = () => '', options } = given;
  const random = new SeededRandom(seed);
  const untilNext = () => (-Math.log(1 - random.next()) * SERVICE_MS) / load;
  const evictedMs: number[] = [];
  const waitsMs: number[] = [];
  const customers: string[] = [];
  const plus = { offered: 0, served: 0, waiting: 0 };
  let inTime = 0;
  let refused = 0;
  const queue = new RunQueue<Arrival>(({ atMs }, _reason, now) => evictedMs.push(now - atMs), options);

  const start = (now: number): number => {
    const next = queue.take(now);
    if (next === undefined) return Number.POSITIVE_INFINITY;
    waitsMs.push(queue.lastWaitMs);
    customers.push(next.customer);
    if (next.criticality === 'CRITICAL_PLUS') plus.served++;
    if (now + SERVICE_MS <= next.deadlineMs) inTime++;
    return now + SERVICE_MS;
  };
  const arrive = (now: number): void => {
    const criticality: Criticality = random.next() < plusShare ? 'CRITICAL_PLUS' : 'CRITICAL';
    if (criticality === 'CRITICAL_PLUS') plus.offered++;
    const deadlineMs = now + CLIENT_TIMEOUT_MS;
    if (!queue.push({ atMs: now, criticality, customer: customer(random), deadlineMs }, now)) refused++;
  };

  let arrivalMs = untilNext();
  let doneMs = Number.POSITIVE_INFINITY;
  while (Math.min(arrivalMs, doneMs) < seconds * 1_000) {
    if (doneMs <= arrivalMs) {
      doneMs = start(doneMs);
    } else {
      arrive(arrivalMs);
      if (doneMs === Number.POSITIVE_INFINITY) doneMs = start(arrivalMs);
      arrivalMs += untilNext();
    }
  }
  plus.waiting = queue.sizeOf('CRITICAL_PLUS');
  return {
    goodput: inTime / seconds,
    p50WaitMs: quantile(waitsMs, 0.5),
    p99WaitMs: quantile(waitsMs, 0.99),
    plus,
    refused,
    evicted: evictedMs.length,
    p99EvictedMs: quantile(evictedMs, 0.99),
    customers,
  };
}
