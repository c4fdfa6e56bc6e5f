import { checkDistinct, checkWithin, withDefaults } from '../check.js';
import type { Criticality } from '../criticality.js';

/** What a customer may use, in units of cost a second. Infinity: as much as it likes. */
export interface QuotaLimit {
  readonly perSecond: number;
  /**
   * How much of it a criticality may use *together with all lower ones*: `{ SHEDDABLE: 100, SHEDDABLE_PLUS: 300 }`. Not
   * each for itself: a criticality would be refused at a limit of its own while a lower one is served, and a backend
   * refuses a criticality only when it refuses all lower ones (SRE ch. 21, "Criticality").
   */
  readonly upTo?: Readonly<Partial<Record<Exclude<Criticality, 'CRITICAL_PLUS'>, number>>>;
}

/** What one customer may use. */
export interface CustomerLimit extends QuotaLimit {
  readonly customer: string;
}

/** What customers may use: those with a limit of their own, and each of all others. */
export interface QuotaLimits {
  readonly customers?: readonly CustomerLimit[];
  /** For each customer that is not among them, not for all of those together. */
  readonly everyoneElse: QuotaLimit;
}

/** By rank: what that criticality and all lower ones may use together, a second. */
export type LimitLadder = readonly number[];

const UNLIMITED = Object.freeze({
  SHEDDABLE: Number.POSITIVE_INFINITY,
  SHEDDABLE_PLUS: Number.POSITIVE_INFINITY,
  CRITICAL: Number.POSITIVE_INFINITY,
});

/**
 * Limits that have been checked. They may add up to more than there is: it is unlikely that all customers hit theirs at
 * the same time (SRE ch. 21, "Per-Customer Limits").
 */
export class LimitBook {
  readonly #customers = new Map<string, LimitLadder>();
  readonly #everyoneElse: LimitLadder;

  constructor(given: QuotaLimits) {
    const defaults: Required<QuotaLimits> = { customers: [], everyoneElse: { perSecond: Number.NaN } };
    const { customers, everyoneElse } = withDefaults('limits', defaults, given);
    checkDistinct(
      'customers',
      customers.map(({ customer }) => customer),
    );
    for (const { customer, ...limit } of customers) {
      this.#customers.set(customer, ladderOf(`the limit of ${JSON.stringify(customer)}`, limit));
    }
    this.#everyoneElse = ladderOf('the limit of everyone else', everyoneElse);
  }

  isNamed(customer: string): boolean {
    return this.#customers.has(customer);
  }

  of(customer: string): LimitLadder {
    return this.#customers.get(customer) ?? this.#everyoneElse;
  }
}

function ladderOf(whose: string, given: QuotaLimit): LimitLadder {
  const defaults: Required<QuotaLimit> = { perSecond: Number.NaN, upTo: {} };
  const { perSecond, upTo } = withDefaults(whose, defaults, given);
  const lower = withDefaults(`upTo in ${whose}`, UNLIMITED, upTo);
  let above = checkWithin(`perSecond in ${whose}`, perSecond, 0, Number.POSITIVE_INFINITY);
  const ladder = [above];
  for (const criticality of ['CRITICAL', 'SHEDDABLE_PLUS', 'SHEDDABLE'] as const) {
    const limit = lower[criticality];
    // More than the step above allows would never hold: a mistake.
    if (limit !== Number.POSITIVE_INFINITY)
      above = checkWithin(`${criticality} in ${whose}`, limit, 0, above);
    ladder.unshift(limit);
  }
  return ladder;
}
