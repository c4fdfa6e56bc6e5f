import { checkNonNegative, checkPositive, withDefaults } from '../check.js';
import { CRITICALITIES, type Criticality, criticalityRank } from '../criticality.js';
import { type Assumption, NOTHING_ASSUMED } from './assumption.js';
import type { Restraint } from './own-share.js';
import { QuotaAccount } from './quota-account.js';
import type { DebtOptions, Savings } from './quota-debts.js';
import { LimitBook, type LimitLadder, type QuotaLimits } from './quota-limits.js';
import type { RecentUse, RecentUseSnapshot } from './recent-use.js';
import { ReportSheet } from './report-sheet.js';
import { USAGE_DEFAULTS, type UsageOptions, type UsageSnapshot, UsageTable } from './usage-table.js';

/** How use is measured, and how debts are paid back. */
export interface QuotaEnforcementOptions extends UsageOptions, DebtOptions {
  /** `decayMs` of the demand that is reported to others. */
  readonly reportDecayMs: number;
}

export const QUOTA_ENFORCEMENT_DEFAULTS: QuotaEnforcementOptions = Object.freeze({
  ...USAGE_DEFAULTS,
  // Only customers that misbehave may see errors, and arrivals come in clusters. With requests of a twentieth of a
  // second's worth, at 80 % of the limit, 1 s of savings means 0.07 % refused and 2 s none; at 95 %, 1.4 % and 0.3 %.
  // With requests of a hundredth none even there. (Poisson arrivals, exponential costs, 12 runs of 200 s.)
  burstMs: 2_000,
  // Long against the 100 ms after which the effect of a line is known, so the share refused does not swing: from 1.1 to
  // 50 times the limit, use ends within 0.5 % of it.
  repayMs: 2_000,
  // A request may cost more than a second's worth, above all where a limit is divided among many backends, and what is
  // written off is used beyond the limit. A minute's worth is owed in full; nobody is locked out for longer.
  maxDebtMs: 60_000,
  // Two reports: a customer that goes from 0.8 to 20 times its limit is seen at 18 times after a second. With a decay of
  // 2 s it would be 8, and more would pass where traffic is uneven.
  reportDecayMs: 500,
});

/** Why requests of a customer are refused, or not. */
export interface QuotaExplanation extends RecentUseSnapshot {
  readonly customer: string;
  /** What a criticality and all lower ones may use together, a second. */
  readonly limits: Readonly<Record<Criticality, number>>;
  /** The part of a criticality's requests that is refused now. */
  readonly refusedShares: Readonly<Record<Criticality, number>>;
  /** Used beyond the limit and not paid back; below zero: saved up. */
  readonly debt: number;
}

/**
 * Keeps customers within their quotas (SRE ch. 21, "Per-Customer Limits" and "Criticality"). One that wants more is
 * refused its least critical requests first: a criticality only when all lower ones are refused altogether. Others do
 * not notice.
 *
 * Whoever was admitted is owed an end: `charge`, when it is known what it cost, or `cancel`, when it did not run
 * after all.
 */
export class QuotaEnforcement {
  /** What is to be said of customers to others. */
  readonly sheet: ReportSheet;
  readonly #table: UsageTable<QuotaAccount>;
  #limits: LimitBook;
  readonly #usual: Savings;
  #limitsOf: (customer: string) => LimitLadder;
  #savings: Savings;
  #restrained: ReadonlyMap<string, Restraint> = new Map();
  /** Quotas do not count: nobody is refused, and what is used meanwhile is not owed later. */
  isSuspended = false;
  /** Of the one that was admitted last: hand it back when that one ends. */
  assumed: Assumption = NOTHING_ASSUMED;

  constructor(limits: QuotaLimits, given?: Partial<QuotaEnforcementOptions>) {
    const options = withDefaults('quotaEnforcement', QUOTA_ENFORCEMENT_DEFAULTS, given);
    checkNonNegative('burstMs', options.burstMs);
    checkPositive('repayMs', options.repayMs);
    checkPositive('maxDebtMs', options.maxDebtMs);
    checkPositive('reportDecayMs', options.reportDecayMs);
    this.#limits = new LimitBook(limits);
    this.#usual = { burstMs: options.burstMs, requests: 0, mostMs: 0 };
    this.#savings = this.#usual;
    this.#limitsOf = (customer) => this.#limits.of(customer);
    this.sheet = new ReportSheet(checkPositive('updateMs', options.updateMs), options.reportDecayMs);
    const accountOptions = { ...options, sheet: this.sheet };
    this.#table = new UsageTable(options, (customer, slot, grid) => {
      const burst = { ...accountOptions, burstMs: this.#savings.burstMs };
      const account = new QuotaAccount(customer, slot, grid, this.#limitsOf(customer), burst);
      const restraint = this.#restrained.get(customer);
      if (restraint !== undefined) account.restrain(restraint);
      return account;
    });
    this.#table.setNamed((customer) => this.#limits.isNamed(customer));
  }

  /** Replaces all limits. They hold from each customer's next update on; what it owes or has saved up stays. */
  setLimits(limits: QuotaLimits): void {
    this.#limits = new LimitBook(limits);
    this.#table.setNamed((customer) => this.#limits.isNamed(customer));
    for (const account of this.#table.accounts()) account.limits = this.#limitsOf(account.customer);
  }

  /**
   * From now on limits follow from this, and so much of them is saved up. Those that were set only say which customers
   * are never forgotten.
   */
  follow(limitsOf: (customer: string) => LimitLadder, savings = this.#usual): void {
    this.#limitsOf = limitsOf;
    this.#savings = savings;
    this.#restrained = new Map();
    for (const account of this.#table.accounts()) account.release(limitsOf(account.customer), savings);
  }

  /** Replaces all restraints. Who has one is held to it whatever its limits are, who has lost it to its limits again. */
  restrain(restrained: ReadonlyMap<string, Restraint>): void {
    for (const customer of this.#restrained.keys()) {
      if (!restrained.has(customer))
        this.#table.known(customer)?.release(this.#limitsOf(customer), this.#savings);
    }
    this.#restrained = restrained;
    for (const [customer, restraint] of restrained) this.#table.known(customer)?.restrain(restraint);
  }

  /** All those together who had to be forgotten. */
  forgotten(now: number): RecentUse {
    return this.#table.everyoneElse(now);
  }

  /**
   * `order`, in [0, 1), is the request's place in the order of refusal: of a criticality that is refused in part, those
   * with the smallest are. If it is a hash of the trace id, all backends refuse the same requests.
   */
  admit(customer: string, criticality: Criticality, order: number, now: number): 'admit' | 'refuse' {
    const account = this.#table.at(customer, now);
    const rank = criticalityRank(criticality);
    if (!account.admit(rank, order, !this.isSuspended)) return 'refuse';
    this.assumed = account.assumption(rank, !this.isSuspended);
    return 'admit';
  }

  /**
   * One that was admitted is done, and cost this. `assumed` is what was assumed of it; unless said, what would be assumed
   * now.
   */
  charge(customer: string, criticality: Criticality, cost: number, now: number, assumed?: Assumption): void {
    checkNonNegative('cost', cost);
    this.#table.at(customer, now).charge(criticalityRank(criticality), cost, now, assumed);
    this.#table.observeCost(cost, now);
  }

  /** One that was admitted did not run: as if nobody had asked. */
  cancel(customer: string, criticality: Criticality, now: number, assumed?: Assumption): void {
    this.#table.find(customer, now)?.cancel(criticalityRank(criticality), assumed);
  }

  explain(customer: string, now: number): QuotaExplanation {
    const account = this.#table.peek(customer, now);
    return {
      customer,
      limits: byCriticality((rank) => account.limits[rank]!),
      refusedShares: byCriticality((rank) => account.refusedShare(rank)),
      debt: account.debt,
      ...account.snapshot(this.#table.unknownCost(now), now),
    };
  }

  /** For the sum over all backends. */
  usage(now: number): UsageSnapshot {
    return this.#table.snapshot(now);
  }
}

function byCriticality(value: (rank: number) => number): Record<Criticality, number> {
  const entries = CRITICALITIES.map((criticality, rank) => [criticality, value(rank)] as const);
  return Object.fromEntries(entries) as Record<Criticality, number>;
}
