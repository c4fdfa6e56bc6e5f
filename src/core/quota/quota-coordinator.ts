import { checkInteger, checkNonNegative, checkPositive, withDefaults } from '../check.js';
import { elapsedMs } from '../elapsed.js';
import { BackendRows } from './backend-rows.js';
import type { FleetOptions } from './fleet-customer.js';
import { FleetDivision } from './fleet-division.js';
import type { QuotaLevels } from './quota-levels.js';
import { LimitBook, type QuotaLimits } from './quota-limits.js';
import type { UsageReport } from './usage-report.js';

/** Whom a coordinator counts, and for how long it listens before it speaks. */
export interface QuotaCoordinatorOptions extends FleetOptions {
  /** A backend that has not reported for so long is not counted any more. */
  readonly forgetMs: number;
  /** A term begins with listening, for so long at most. */
  readonly learningMs: number;
  /** How many customers are told apart, besides those who have a limit of their own. */
  readonly maxCustomers: number;
  /** Those beyond are not counted. */
  readonly maxBackends: number;
}

export const QUOTA_COORDINATOR_DEFAULTS: QuotaCoordinatorOptions = Object.freeze({
  everyMs: 250,
  // Four reports: one that is late or lost is no reason to give a backend's part to others.
  forgetMs: 1_000,
  // Backends that have to connect anew spread that over a second.
  learningMs: 1_500,
  // As backends have it by themselves: see QUOTA_ENFORCEMENT_DEFAULTS.
  burstMs: 2_000,
  // Four times as long as until the effect of a level is known (half a second), so that levels do not swing.
  repayMs: 2_000,
  // Of a debt so large, three quarters of the limit are taken: room is left for what was right about the level.
  maxDebtMs: 1_500,
  // A level is on its way for 100 ms, the next report leaves 250 ms after that, is on its way for as long, and is read
  // within 250 ms.
  reactionMs: 700,
  // 1 KB each.
  maxCustomers: 10_000,
  // Twice the fleet that one coordinator is meant for. 64 MB with a thousand customers each.
  maxBackends: 4_000,
});

/** One customer on all backends together, as the coordinator sees it. */
export interface FleetCustomerSnapshot {
  readonly customer: string;
  /** Infinity: none. */
  readonly limitPerSecond: number;
  readonly usedPerSecond: number;
  readonly demandPerSecond: number;
  readonly refusedPerSecond: number;
  /** Criticalities below this rank are refused everywhere. */
  readonly rank: number;
  /** Of that rank, at each backend. Infinity: all that is wanted fits. */
  readonly level: number;
  /** Whether it is refused what is beyond the level. If not, it has savings. */
  readonly isHeld: boolean;
  /** Left to spend beyond the limit, in units of cost; below zero: used too much. */
  readonly savings: number;
}

/** What a coordinator knows of backends and customers. */
export interface QuotaCoordinatorSnapshot {
  readonly token: number;
  readonly backends: number;
  /** Those beyond `maxBackends`, who are not counted. */
  readonly ignoredBackends: number;
  readonly isLearning: boolean;
  /** Those who used or wanted something lately. */
  readonly customers: readonly FleetCustomerSnapshot[];
  /** Those together whom backends, or the coordinator, do not tell apart. */
  readonly everyoneElse: { readonly usedPerSecond: number; readonly demandPerSecond: number };
}

/**
 * Adds up what all backends report, and says what each customer may use at each of them (SRE ch. 21, "Per-Customer
 * Limits": aggregate in real time, push effective limits to the backends). One answer for all of them: see QuotaLevels.
 */
export class QuotaCoordinator {
  readonly #options: QuotaCoordinatorOptions;
  readonly #division: FleetDivision;
  readonly #backends = new Map<string, BackendRows>();
  /** Those there was no place for, and when they reported last. */
  readonly #tooMany = new Map<string, number>();
  #token = 0;
  #sequence = 0;
  /** Learning since then, until so many are heard; undefined: it has learned. */
  #learning: { readonly sinceMs: number; readonly backends: number } | undefined;
  /** How many there were when levels were last given out. */
  #lastBackends = 0;

  constructor(limits: QuotaLimits, given?: Partial<QuotaCoordinatorOptions>) {
    const options = withDefaults('quotaCoordinator', QUOTA_COORDINATOR_DEFAULTS, given);
    for (const field of ['everyMs', 'forgetMs', 'repayMs', 'maxDebtMs'] as const)
      checkPositive(field, options[field]);
    for (const field of ['learningMs', 'burstMs', 'reactionMs'] as const)
      checkNonNegative(field, options[field]);
    checkInteger('maxCustomers', options.maxCustomers, 1);
    checkInteger('maxBackends', options.maxBackends, 1);
    this.#options = options;
    this.#division = new FleetDivision(new LimitBook(limits), options.maxCustomers, options);
  }

  /** Replaces all limits, from the next division on. */
  setLimits(limits: QuotaLimits): void {
    this.#division.table.setLimits(new LimitBook(limits));
  }

  /** A term begins. It listens before it speaks; meanwhile what was said last holds at the backends. */
  begin(token: number, knownBackends: number, now: number): void {
    this.#token = token;
    this.#sequence = 0;
    this.#backends.clear();
    this.#tooMany.clear();
    this.#learn(knownBackends, now);
    this.#division.forget();
  }

  /** `ageMs`: how long ago it was made. */
  report(backend: string, report: UsageReport, ageMs: number, now: number): void {
    let rows = this.#backends.get(backend);
    if (rows === undefined) {
      if (this.#backends.size >= this.#options.maxBackends) {
        this.#tooMany.set(backend, now);
        if (this.#tooMany.size > this.#options.maxBackends) this.#tooMany.clear();
        return;
      }
      rows = new BackendRows();
      this.#backends.set(backend, rows);
    }
    rows.take(report, now - ageMs);
  }

  /** Undefined: still learning, or nobody there. */
  divide(now: number): QuotaLevels | undefined {
    for (const [backend, { heardMs }] of this.#backends) {
      if (elapsedMs(heardMs, now) > this.#options.forgetMs) this.#backends.delete(backend);
    }
    if (this.#isLearning(now)) return undefined;
    const backends = this.#backends.size;
    this.#lastBackends = backends;
    this.#division.divide([...this.#backends.values()], now);
    return { token: this.#token, sequence: ++this.#sequence, backends, ...this.#division.levels() };
  }

  snapshot(now: number): QuotaCoordinatorSnapshot {
    return {
      token: this.#token,
      backends: this.#backends.size,
      ignoredBackends: this.#countIgnored(now),
      isLearning: this.#learning !== undefined,
      ...this.#division.snapshot(),
    };
  }

  #countIgnored(now: number): number {
    for (const [backend, heardMs] of this.#tooMany) {
      if (elapsedMs(heardMs, now) > this.#options.forgetMs) this.#tooMany.delete(backend);
    }
    return this.#tooMany.size;
  }

  #isLearning(now: number): boolean {
    const { size } = this.#backends;
    // Most are gone at once: then it is not they who are gone, but what they reported to. Who is back first must not get
    // what belongs to all.
    if (this.#learning === undefined && size < this.#lastBackends / 2) this.#learn(this.#lastBackends, now);
    if (this.#learning !== undefined) {
      const { sinceMs, backends } = this.#learning;
      const hasHeardAll = backends > 0 && size >= backends;
      if (!hasHeardAll && elapsedMs(sinceMs, now) < this.#options.learningMs) return true;
      if (size === 0) return true;
      this.#learning = undefined;
    }
    return false;
  }

  #learn(backends: number, now: number): void {
    this.#learning = { sinceMs: now, backends };
  }
}
