import type { QuotaEnforcement } from '../../core/quota/index.js';
import type { AdaptiveThrottle } from '../../core/throttling/index.js';
import type { Violations } from './violations.js';

/** Counts those who were let through and are owed an end, and those who have had theirs. */
export class OwedBook {
  readonly #of: string;
  #admitted = 0;
  #ended = 0;

  private constructor(of: string) {
    this.#of = of;
  }

  /** Each that a throttle lets through is settled, whatever becomes of it. */
  static ofThrottle(throttle: AdaptiveThrottle): OwedBook {
    const book = new OwedBook('a throttle');
    const admit = throttle.admit.bind(throttle);
    throttle.admit = (stats, now) => {
      const isAdmitted = admit(stats, now);
      if (isAdmitted) book.#admitted++;
      return isAdmitted;
    };
    const settle = throttle.settle.bind(throttle);
    throttle.settle = (stats, lesson, now) => {
      book.#ended++;
      settle(stats, lesson, now);
    };
    return book;
  }

  /** Each that a quota admits is charged or cancelled. */
  static ofQuota(quota: QuotaEnforcement): OwedBook {
    const book = new OwedBook('a quota');
    const admit = quota.admit.bind(quota);
    quota.admit = (customer, criticality, order, now) => {
      const decision = admit(customer, criticality, order, now);
      if (decision === 'admit') book.#admitted++;
      return decision;
    };
    const charge = quota.charge.bind(quota);
    quota.charge = (...args) => {
      book.#ended++;
      charge(...args);
    };
    const cancel = quota.cancel.bind(quota);
    quota.cancel = (...args) => {
      book.#ended++;
      cancel(...args);
    };
    return book;
  }

  /** When all that it let through must have ended. */
  check(violations: Violations): void {
    violations.unless(this.#admitted === this.#ended, 'permits neither lost nor made up', () => {
      return `${this.#of} let ${this.#admitted} through, and was told how ${this.#ended} of them ended`;
    });
  }
}
