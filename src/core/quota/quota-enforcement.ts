import { checkNonNegative, checkPositive, withDefaults } from '../check.js';
import { CRITICALITIES, type Criticality, criticalityRank } from '../criticality.js';
import { QuotaAccount } from './quota-account.js';
import type { DebtOptions } from './quota-debts.js';
import { LimitBook, type QuotaLimits } from './quota-limits.js';
import type { RecentUseSnapshot } from './recent-use.js';
import { USAGE_DEFAULTS, type UsageOptions, type UsageSnapshot, UsageTable } from './usage-table.js';

export interface QuotaEnforcementOptions extends UsageOptions, DebtOptions {}

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
});

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
  readonly #table: UsageTable<QuotaAccount>;
  #limits: LimitBook;

  constructor(limits: QuotaLimits, given?: Partial<QuotaEnforcementOptions>) {
    const options = withDefaults('quotaEnforcement', QUOTA_ENFORCEMENT_DEFAULTS, given);
    checkNonNegative('burstMs', options.burstMs);
    checkPositive('repayMs', options.repayMs);
    checkPositive('maxDebtMs', options.maxDebtMs);
    this.#limits = new LimitBook(limits);
    this.#table = new UsageTable(
      options,
      (customer, slot, grid) => new QuotaAccount(customer, slot, grid, this.#limits.of(customer), options),
    );
    this.#table.setNamed((customer) => this.#limits.isNamed(customer));
  }

  /** Replaces all limits. They hold from each customer's next update on; what it owes or has saved up stays. */
  setLimits(limits: QuotaLimits): void {
    this.#limits = new LimitBook(limits);
    this.#table.setNamed((customer) => this.#limits.isNamed(customer));
    for (const account of this.#table.accounts()) account.limits = this.#limits.of(account.customer);
  }

  /**
   * `order`, in [0, 1), is the request's place in the order of refusal: of a criticality that is refused in part, those
   * with the smallest are. If it is a hash of the trace id, all backends refuse the same requests.
   */
  admit(customer: string, criticality: Criticality, order: number, now: number): 'admit' | 'refuse' {
    return this.#table.at(customer, now).admit(criticalityRank(criticality), order) ? 'admit' : 'refuse';
  }

  /** One that was admitted is done, and cost this. */
  charge(customer: string, criticality: Criticality, cost: number, now: number): void {
    this.#table.charge(customer, criticalityRank(criticality), cost, now);
  }

  /** One that was admitted did not run: as if nobody had asked. */
  cancel(customer: string, criticality: Criticality, now: number): void {
    this.#table.find(customer, now)?.cancel(criticalityRank(criticality));
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
