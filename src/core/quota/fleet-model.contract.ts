import type { Criticality } from '../criticality.js';
import { SeededRandom } from '../seeded-random.js';
import { QuotaCoordinator, type QuotaCoordinatorOptions } from './quota-coordinator.js';
import type { QuotaLimits } from './quota-limits.js';
import { QuotaMember, type QuotaMemberOptions } from './quota-member.js';
import { poisson, type Second } from './quota-model.contract.js';
import type { UsageReport } from './usage-report.js';

/** Requests of one customer to all backends together: Poisson arrivals that cost 1 each. */
export interface FleetStream {
  readonly customer: string;
  readonly criticality: Criticality;
  /** Requests a second, at an instant. */
  readonly rate: (now: number) => number;
  /** The part of each backend; they add up to 1. */
  readonly parts: readonly number[];
}

export interface FleetModel {
  readonly limits: QuotaLimits;
  readonly streams: readonly FleetStream[];
  readonly seconds: number;
  readonly seed?: number;
  readonly member?: Partial<QuotaMemberOptions>;
  readonly coordinator?: Partial<QuotaCoordinatorOptions>;
  /** Whether somebody coordinates then: when it is so again, another one begins. Always unless said. */
  readonly isCoordinated?: (now: number) => boolean;
  /** Whether quotas are suspended at all backends. Never unless said. */
  readonly isSuspended?: (now: number) => boolean;
  readonly onTick?: (members: readonly QuotaMember[], coordinator: QuotaCoordinator, now: number) => void;
}

const STEP_MS = 5;
const EVERY_MS = 250;
const LATENCY_MS = 50;

/** The same at each backend. */
export function evenly(backends: number): number[] {
  return new Array<number>(backends).fill(1 / backends);
}

/** The busiest backend has `ratio` times the traffic of the quietest, the others lie between, by equal factors. */
export function unevenly(backends: number, ratio: number): number[] {
  const weights = Array.from({ length: backends }, (_, index) => ratio ** (index / (backends - 1)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/**
 * Members and coordinators in a closed loop. Backends report every 250 ms, each in a phase of its own; reports and levels
 * are on their way for 20 to 100 ms. One list of seconds for each stream.
 */
export function runFleet(model: FleetModel): Second[][] {
  return new ModelRun(model).run();
}

class ModelRun {
  readonly #model: FleetModel;
  readonly #random: SeededRandom;
  readonly #members: QuotaMember[];
  readonly #phases: number[];
  /** By stream, the backends at which it is. */
  readonly #busy: { readonly backend: number; readonly part: number }[][];
  readonly #tallies: Second[][];
  readonly #events = new Map<number, (() => void)[]>();
  #coordinator: QuotaCoordinator;
  #token = 0;
  #wasCoordinated = false;
  #known = 0;

  constructor(model: FleetModel) {
    this.#model = model;
    this.#random = new SeededRandom(model.seed ?? 1);
    const backends = model.streams[0]!.parts.length;
    this.#members = Array.from({ length: backends }, () => new QuotaMember(model.limits, model.member));
    this.#busy = model.streams.map(({ parts }) =>
      parts.map((part, backend) => ({ backend, part })).filter(({ part }) => part > 0),
    );
    this.#phases = this.#members.map(() => this.#upTo(EVERY_MS));
    this.#coordinator = this.#newCoordinator();
    this.#tallies = model.streams.map(() =>
      Array.from({ length: model.seconds }, (): Second => ({ arrived: 0, refused: 0, used: 0 })),
    );
  }

  run(): Second[][] {
    for (let now = 0; now < this.#model.seconds * 1_000; now += STEP_MS) {
      for (const event of this.#events.get(now) ?? []) event();
      this.#events.delete(now);
      this.#serve(now);
      for (const [index, member] of this.#members.entries()) {
        if (now % EVERY_MS === this.#phases[index]) this.#report(index, member, now);
      }
      if (now % EVERY_MS === 0) this.#coordinate(now);
    }
    return this.#tallies;
  }

  #serve(now: number): void {
    const second = Math.floor(now / 1_000);
    const random = () => this.#random.next();
    const isSuspended = this.#model.isSuspended?.(now) ?? false;
    for (const member of this.#members) member.enforcement.isSuspended = isSuspended;
    for (const [index, { customer, criticality, rate }] of this.#model.streams.entries()) {
      const tally = this.#tallies[index]![second]!;
      const arrivals = (rate(now) * STEP_MS) / 1_000;
      for (const { backend, part } of this.#busy[index]!) {
        const { enforcement } = this.#members[backend]!;
        for (let left = poisson(arrivals * part, random); left > 0; left--) {
          tally.arrived++;
          if (enforcement.admit(customer, criticality, random(), now) === 'refuse') tally.refused++;
          else {
            // Used when let in: the model asks what was let in, and backends are told when it is done.
            tally.used++;
            this.#at(now + LATENCY_MS, () => enforcement.charge(customer, criticality, 1, now + LATENCY_MS));
          }
        }
      }
    }
  }

  #report(index: number, member: QuotaMember, now: number): void {
    member.tick(now);
    const report = copyOf(member.report(now));
    const arrivesMs = now + this.#delay();
    this.#at(arrivesMs, () => this.#coordinator.report(String(index), report, arrivesMs - now, arrivesMs));
  }

  #coordinate(now: number): void {
    const isCoordinated = this.#model.isCoordinated?.(now) ?? true;
    if (isCoordinated && !this.#wasCoordinated) {
      this.#coordinator = this.#newCoordinator();
      this.#coordinator.begin(++this.#token, this.#known, now);
    }
    this.#wasCoordinated = isCoordinated;
    this.#model.onTick?.(this.#members, this.#coordinator, now);
    const levels = isCoordinated ? this.#coordinator.divide(now) : undefined;
    if (levels === undefined) return;
    this.#known = levels.backends;
    for (const member of this.#members) {
      const arrivesMs = now + this.#delay();
      this.#at(arrivesMs, () => member.hear(levels, arrivesMs));
    }
  }

  #newCoordinator(): QuotaCoordinator {
    return new QuotaCoordinator(this.#model.limits, this.#model.coordinator);
  }

  #delay(): number {
    return 20 + this.#upTo(85);
  }

  #upTo(most: number): number {
    return Math.floor((this.#random.next() * most) / STEP_MS) * STEP_MS;
  }

  #at(now: number, event: () => void): void {
    const events = this.#events.get(now);
    if (events === undefined) this.#events.set(now, [event]);
    else events.push(event);
  }
}

function copyOf(report: UsageReport): UsageReport {
  const { names, namesVersion, count, rates, refused, isSuspended } = report;
  return { names, namesVersion, count, rates: rates.slice(), refused: refused.slice(), isSuspended };
}
