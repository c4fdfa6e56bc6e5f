import { checkInteger, checkWithin, withDefaults } from '../check.js';
import { AttemptHistogram } from '../measuring/attempt-histogram.js';
import { MAX_ATTEMPTS } from './decide-retry.js';

/** The two ways to shed a request: others may have room, or they are no better. */
export type OverloadError = 'task-overloaded' | 'overloaded-no-retry';

/** How many retries among the arrivals say that others are overloaded, too. */
export interface OverloadAdviceOptions {
  /** With more retries than this among the arrivals, others are overloaded too. */
  readonly retryShare: number;
  /** With no more than this, no longer. */
  readonly recoverShare: number;
  /** Fewer arrivals than this count as this many. */
  readonly minArrivals: number;
  /** How far back arrivals count. */
  readonly windowMs: number;
  /** Into how many slots that is cut. */
  readonly slots: number;
}

export const OVERLOAD_ADVICE_DEFAULTS: OverloadAdviceOptions = Object.freeze({
  // Clients with a retry budget of 10 % send 1 retry among 11 arrivals, 9.1 %, when every backend refuses everything:
  // the line must lie well below that. 5 % of retries mean that the service refuses 5 % of all its attempts.
  retryShare: 0.05,
  // At 100 arrivals a second the share is known to ± 0.7 % (σ = √(.05 × .95 / 1000)): one percent apart, chance alone
  // rarely turns the answer and at once back. Not much lower: the share falls only as the window forgets, 5 → 4 % takes
  // a fifth of it (2 s), and all that time requests are turned away that a neighbour might have served.
  recoverShare: 0.04,
  // One retry of ten is no 10 %. In calm times about 1 % of arrivals are retries, and six or more of 100 come once in
  // 1700 windows (Poisson); three or more of 50 once in 70. A backend with fewer arrivals needs the six all the same.
  minArrivals: 100,
  // As long as the clients' budgets look back: the histogram then sees what they grant.
  windowMs: 10_000,
  slots: 10,
});

/** What a backend sees of its clients' retries, and what it makes of it. */
export interface OverloadAdviceState {
  /** Arrivals that were first attempts, second, third or later. */
  readonly attempts: readonly number[];
  readonly retryShare: number;
  readonly error: OverloadError;
}

/**
 * Which of the two errors a backend sheds with. It knows of its own overload only; that others are overloaded too it
 * sees from the attempt counts of what arrives, refused or not (SRE ch. 21, "Deciding to Retry" and Figure 21-1).
 *
 * What the rule makes of 1000 first attempts that meet …
 * | | attempts without budgets | retries | with | the rule says |
 * |---|---|---|---|---|
 * | ten backends that refuse all | 1000 1000 1000 | 67 % | 9.1 % | don't retry: right |
 * | ten, each offered 1.5× (a third refused) | 1000 333 111 | 31 % | 9.1 % | don't retry: right |
 * | ten, each offered 1.05× (a 21st refused) | 1000 48 2 | 4.8 % | 4.8 % | retry: in vain, for 5 % of load |
 * | one of ten offered 1.5× | 1000 33 1 | 3.3 % | 3.3 % | retry: right |
 * | one of ten that refuses all | 1000 100 10 | 9.9 % | 9.1 % | don't retry: too careful |
 *
 * The last case is the price: nine of ten have room, but under budgets its histogram is that of the first, and no
 * line tells the two apart. Half of it is paid. Without retries the share falls, the error turns back, and the
 * service hovers between the two lines: of the 10 % refused, retries still save 4, where the budget alone would let
 * them save 8. Weights repair the rest, since a backend that reports itself full is picked less.
 */
export class OverloadAdvice {
  readonly #options: OverloadAdviceOptions;
  readonly #histogram: AttemptHistogram;
  #lastError: OverloadError = 'task-overloaded';

  constructor(given?: Partial<OverloadAdviceOptions>) {
    this.#options = withDefaults('overloadAdvice', OVERLOAD_ADVICE_DEFAULTS, given);
    const { retryShare, recoverShare, minArrivals, windowMs, slots } = this.#options;
    checkWithin('retryShare', retryShare, 0, 1);
    checkWithin('recoverShare', recoverShare, 0, retryShare);
    checkInteger('minArrivals', minArrivals, 1);
    this.#histogram = new AttemptHistogram({ windowMs, slots, maxAttempt: MAX_ATTEMPTS });
  }

  /** Any arrival, also one that will be shed. What is impossible as an attempt counts as the nearest possible. */
  onArrival(attempt: number, now: number): void {
    this.#histogram.record(now, attempt);
  }

  /** How to shed a request now. */
  errorFor(now: number): OverloadError {
    this.#lastError = this.#judge(now);
    return this.#lastError;
  }

  explain(now: number): OverloadAdviceState {
    const attempts = this.#histogram.counts(now);
    return { attempts, retryShare: this.#histogram.retryShare(now), error: this.#judge(now) };
  }

  /** Leaves no trace: looking at the advice does not turn it. */
  #judge(now: number): OverloadError {
    const { retryShare, recoverShare, minArrivals } = this.#options;
    const arrivals = this.#histogram.total(now);
    const retries = arrivals - this.#histogram.count(now, 1);
    const share = retries / Math.max(arrivals, minArrivals);
    const line = this.#lastError === 'task-overloaded' ? retryShare : recoverShare;
    return share > line ? 'overloaded-no-retry' : 'task-overloaded';
  }
}
