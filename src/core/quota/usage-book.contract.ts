import { checkNonNegative, withDefaults } from '../check.js';
import { CRITICALITIES, type Criticality, criticalityRank } from '../criticality.js';
import { RecentUse } from './recent-use.js';
import { USAGE_DEFAULTS, type UsageOptions, type UsageSnapshot, UsageTable } from './usage-table.js';

/**
 * Who used how much lately, by customer and criticality, and who wanted more. It is what one backend knows; SRE ch. 21,
 * "Per-Customer Limits", adds up that of all of them in real time. Cost is in any unit as long as it is the same for
 * all, CPU-seconds as a rule: requests differ too much to be counted ("The Pitfalls of Queries per Second").
 */
export class UsageBook {
  readonly #table: UsageTable<RecentUse>;

  constructor(given?: Partial<UsageOptions>) {
    const options = withDefaults('usageBook', USAGE_DEFAULTS, given);
    this.#table = new UsageTable(
      options,
      (customer, slot, grid) => new RecentUse(customer, slot, grid, options.costDecayMs),
    );
  }

  /** A request was served, and this is what it cost. */
  record(customer: string, criticality: Criticality, cost: number, now: number): void {
    checkNonNegative('cost', cost);
    this.#table.at(customer, now).charge(criticalityRank(criticality), cost, now);
    this.#table.observeCost(cost, now);
  }

  /** A request was refused. Nobody knows what it would have cost: it counts as the mean of its kind. */
  recordRefused(customer: string, criticality: Criticality, now: number): void {
    this.#table.at(customer, now).refuse(criticalityRank(criticality));
  }

  /** At all criticalities together. */
  usedPerSecond(customer: string, now: number): number {
    const use = this.#table.peek(customer, now);
    return CRITICALITIES.reduce((sum, _, rank) => sum + use.usedPerSecond(rank, now), 0);
  }

  demandPerSecond(customer: string, criticality: Criticality, now: number): number {
    const use = this.#table.peek(customer, now);
    return use.demandPerSecond(criticalityRank(criticality), this.#table.unknownCost(now), now);
  }

  snapshot(now: number): UsageSnapshot {
    return this.#table.snapshot(now);
  }
}
