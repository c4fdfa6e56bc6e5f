import { RETRY_BUDGET_DEFAULTS } from '../../core/retrying/index.js';
import type { ServiceLink } from '../fleet/service-link.js';
import type { Violations } from './violations.js';

/** Keeps its own count of what one client's retry budget earned and granted. */
export class BudgetBook {
  readonly #service: string;
  readonly #ratio: number;
  #requests = 0;
  #retries = 0;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = 0;

  /** `ratio`: as the budget was told. */
  constructor({ budget, service }: ServiceLink, ratio: number) {
    this.#service = service.name;
    this.#ratio = ratio;
    const onRequest = budget.onRequest.bind(budget);
    budget.onRequest = (now) => {
      this.#requests++;
      onRequest(now);
    };
    const tryWithdraw = budget.tryWithdraw.bind(budget);
    budget.tryWithdraw = (now) => {
      const isGranted = tryWithdraw(now);
      if (isGranted) this.#retries++;
      this.#firstMs = Math.min(this.#firstMs, now);
      this.#lastMs = now;
      return isGranted;
    };
    const refund = budget.refund.bind(budget);
    budget.refund = (withdrawnMs) => {
      this.#retries--;
      refund(withdrawnMs);
    };
  }

  /**
   * Of any window, retries are at most the ratio of its requests, or one. Windows that each end with a retry and do not
   * overlap cover all retries, so that holds of the sums too, with one more for each window.
   */
  check(violations: Violations): void {
    const windows = 1 + Math.ceil(Math.max(0, this.#lastMs - this.#firstMs) / RETRY_BUDGET_DEFAULTS.windowMs);
    const most = this.#ratio === 0 ? 0 : this.#ratio * this.#requests + windows;
    violations.unless(this.#retries >= 0 && this.#retries <= most, 'retries within their budget', () => {
      return `${this.#retries} retries of ${this.#requests} requests to ${this.#service}, at most ${most}`;
    });
  }
}
