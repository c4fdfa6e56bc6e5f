import {
  CRITICALITIES,
  type Criticality,
  criticalityRank,
  FairSamples,
  type Refusal,
  type RefusalReason,
  SampleKind,
} from '../../core/index.js';
import type { Decisions } from '../decisions.js';
import type { GuardedRequest } from '../guarded-request.js';

/** The numbers by which one decision was made. */
export interface RefusalMoment {
  /** All signals as one number; 1 = at target. */
  readonly utilization: number;
  /** The utilization from which its criticality is refused. */
  readonly refuseFrom: number;
  /** Which signal was the highest. */
  readonly signal: string;
  readonly waiting: number;
  readonly inFlight: number;
  readonly concurrencyLimit: number;
}

/** One request that was refused, and why. */
export interface RecentRefusal extends RefusalMoment {
  /** By the clock on the wall. */
  readonly atMs: number;
  readonly reason: RefusalReason;
  readonly criticality: Criticality;
  readonly customer: string;
  readonly route: string;
  /** It was served all the same: nothing is enforced. */
  readonly isOnlyReported: boolean;
}

export const REFUSAL_REASONS: readonly RefusalReason[] = [
  'not-ready',
  'deadline',
  'quota',
  'utilization',
  'queue',
  'evicted',
];

/** More than anybody reads; and a rare kind is among them however many there are of the others. */
const SAMPLES = Object.freeze({ most: 50, perSecond: 20 });

/** Names come from requests, and one of them may be as long as a header. */
const MOST_CHARACTERS = 128;

type EachReason<T> = Record<RefusalReason, T>;

/** Refusals of one criticality for one reason. */
class Refused extends SampleKind {
  count = 0;
}

/**
 * Counts refusals by criticality and reason, and keeps a few of each with the numbers of their moment. There may be
 * 40,000 a second: of these 20 are kept, for some 3 µs each, and all others pay one comparison with a number that lies
 * beside the count they add to anyway. Nothing is allocated for them, and no clock is read.
 */
export class RecentRefusals {
  readonly #moment: (criticality: Criticality) => RefusalMoment;
  readonly #samples = new FairSamples<RecentRefusal>(SAMPLES);
  readonly #refused: Readonly<Record<Criticality, EachReason<Refused>>>;

  constructor(moment: (criticality: Criticality) => RefusalMoment) {
    this.#moment = moment;
    this.#refused = each(CRITICALITIES, () =>
      each(REFUSAL_REASONS, () => this.#samples.addKind(new Refused())),
    );
  }

  add(request: GuardedRequest, { reason }: Refusal, isOnlyReported: boolean): void {
    const refused = this.#refused[request.criticality][reason];
    refused.count++;
    if (request.arrivedMs >= refused.nextMs) this.#keep(request, reason, refused, isOnlyReported);
  }

  /** Since the start. */
  counts(): Record<Criticality, EachReason<number>> {
    return each(CRITICALITIES, (criticality) =>
      each(REFUSAL_REASONS, (reason) => this.#refused[criticality][reason].count),
    );
  }

  /** Newest first. */
  recent(): RecentRefusal[] {
    return this.#samples.values();
  }

  #keep(request: GuardedRequest, reason: RefusalReason, refused: Refused, isOnlyReported: boolean): void {
    const { criticality, customer, route, arrivedMs } = request;
    const value = {
      atMs: Date.now(),
      reason,
      criticality,
      customer: customer.slice(0, MOST_CHARACTERS),
      route: route.slice(0, MOST_CHARACTERS),
      isOnlyReported,
      ...this.#moment(criticality),
    };
    this.#samples.add(refused, value, arrivedMs);
  }
}

/** What a guard decides by now. */
export function momentOf(
  { gate, utilization, thresholds, limiter }: Decisions,
  criticality: Criticality,
  now: number,
): RefusalMoment {
  const signals = utilization.signal.explain(now);
  const highest = signals.reduce((a, b) => (b.utilization > a.utilization ? b : a));
  return {
    utilization: highest.utilization,
    refuseFrom: thresholds.ranges[criticalityRank(criticality)]!.refuseFrom,
    signal: highest.name,
    waiting: gate.waiting,
    inFlight: gate.inFlight,
    concurrencyLimit: limiter.limit,
  };
}

function each<K extends string, T>(names: readonly K[], make: (name: K) => T): Record<K, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<K, T>;
}
