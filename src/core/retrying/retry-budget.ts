import { checkNonNegative, withDefaults } from '../check.js';
import { RollingSum } from '../measuring/rolling-sum.js';
import { RefundableCount } from './refundable-count.js';

/** How many retries requests earn. */
export interface RetryBudgetOptions {
  /** Retries for each request, at most; 0 = never retry. */
  readonly ratio: number;
  /** Over how long both are counted. */
  readonly windowMs: number;
  /** Into how many slots the window is cut. */
  readonly slots: number;
}

export const RETRY_BUDGET_DEFAULTS: RetryBudgetOptions = Object.freeze({
  // SRE ch. 21, "Deciding to Retry": 10 % of retries keep the growth at 1.1×, where three attempts alone allow 3×. If
  // few backends are overloaded, few requests need a retry.
  ratio: 0.1,
  // What a calm window has earned can be spent at once when an outage begins: with a ratio of 10 % a tenth of the
  // window in which every request is retried. Two minutes of history would allow 12 s of that, 10 s allow one. Much
  // shorter, and most clients would live on the one retry a window that all have: below 1 request a second that is
  // more than 10 %.
  windowMs: 10_000,
  // A second each: the window is at most 10 % too long.
  slots: 10,
});

/** What the budget counts, and what it would still grant. */
export interface RetryBudgetState {
  readonly requests: number;
  readonly retries: number;
  readonly remaining: number;
}

/**
 * How many retries one client may send to one service: at most 10 % of the requests that it made of it over the last
 * ten seconds (SRE ch. 21, "Deciding to Retry": the per-client retry budget). Requests are first attempts; retries
 * earn nothing.
 *
 * One retry a window is always granted. SRE retries "as long as this ratio is below 10 %", and 0 of 1 is below; a
 * client of nine requests a window could otherwise never retry, nor one whose request took longer than the window to
 * fail. So a client with fewer than ten requests a window may exceed 10 %, by that one retry: a thousand such clients
 * double the load of their service at the worst. Against that the backends have OverloadAdvice.
 */
export class RetryBudget {
  readonly #ratio: number;
  readonly #requests: RollingSum;
  readonly #retries: RefundableCount;

  constructor(given?: Partial<RetryBudgetOptions>) {
    const { ratio, windowMs, slots } = withDefaults('retryBudget', RETRY_BUDGET_DEFAULTS, given);
    this.#ratio = checkNonNegative('ratio', ratio);
    // Both number their slots by the clock, so that requests and retries of one moment are forgotten in one moment.
    this.#requests = new RollingSum({ windowMs, slots });
    this.#retries = new RefundableCount({ windowMs, slots });
  }

  /** A request is sent for the first time. */
  onRequest(now: number): void {
    this.#requests.add(now);
  }

  /** May one more attempt be a retry? If so it is counted as sent. */
  tryWithdraw(now: number): boolean {
    if (this.#retries.total(now) + 1 > this.#earned(now)) return false;
    this.#retries.add(now);
    return true;
  }

  /**
   * A retry was not sent after all (no backend, throttled, the caller gone): as if never withdrawn. It takes the
   * instant at which `tryWithdraw` granted it, since that is where it is counted. Only for what was granted: the
   * budget does not know whose retry it takes back.
   */
  refund(withdrawnMs: number): void {
    this.#retries.takeBack(withdrawnMs);
  }

  explain(now: number): RetryBudgetState {
    const retries = this.#retries.total(now);
    const remaining = Math.max(0, Math.floor(this.#earned(now)) - retries);
    return { requests: this.#requests.total(now), retries, remaining };
  }

  #earned(now: number): number {
    return this.#ratio === 0 ? 0 : Math.max(1, this.#ratio * this.#requests.total(now));
  }
}
