import {
  AdaptiveThrottle,
  Caller,
  createPicker,
  RetryBudget,
  type RetryBudgetState,
  Roster,
  type ThrottleExplanation,
} from '../../core/index.js';
import type { InterceptorSettings } from './interceptor-options.js';

/** A throttle that lets everything through: it refuses nothing before so many requests are counted. */
const NO_THROTTLE = { minimumRequests: Number.MAX_SAFE_INTEGER };

/** To an interceptor there is one backend. */
const CHANNEL = 'channel';

/** What an interceptor knows and does, as plain data. */
export interface InterceptorSnapshot {
  readonly service: string;
  /** Calls that have not ended. */
  readonly running: number;
  /** Attempts that have not ended. */
  readonly active: number;
  readonly calls: number;
  readonly attempts: number;
  /** Calls that were refused here. */
  readonly refused: number;
  readonly budget: RetryBudgetState;
  readonly throttle: readonly ThrottleExplanation[];
}

/**
 * Drives `core/call` above a channel. In grpc-js the backend is picked below the interceptors, by the channel's policy; so
 * the caller here has a roster of one, the channel, that is always ready and never full. Throttle, budgets and attempts are
 * the same as for HTTP; who is ready, full or ejected is a matter of the policy.
 */
export class ChannelCaller {
  readonly settings: InterceptorSettings;
  readonly caller: Caller;
  readonly #roster: Roster;
  readonly #throttle: AdaptiveThrottle;
  readonly #budget: RetryBudget;
  running = 0;
  calls = 0;
  attempts = 0;
  refused = 0;

  constructor(settings: InterceptorSettings) {
    const { environment, service, throttle, retry } = settings;
    this.settings = settings;
    this.#roster = new Roster({ activeLimit: Number.MAX_SAFE_INTEGER, outliers: false });
    this.#roster.update([CHANNEL]);
    this.#roster.mark(CHANNEL, 'ready', environment.monotonicMs());
    this.#throttle = new AdaptiveThrottle(environment.random, throttle === false ? NO_THROTTLE : throttle);
    this.#budget = new RetryBudget(retry.budget);
    this.caller = new Caller(
      {
        service,
        roster: this.#roster,
        picker: createPicker(this.#roster, environment.random, 'round-robin'),
        throttle: this.#throttle,
        budget: this.#budget,
      },
      { maxAttempts: retry.maxAttempts },
    );
  }

  snapshot(): InterceptorSnapshot {
    const { running, calls, attempts, refused, settings } = this;
    const now = settings.environment.monotonicMs();
    return {
      service: settings.service,
      running,
      active: this.#roster.get(CHANNEL)!.active,
      calls,
      attempts,
      refused,
      budget: this.#budget.explain(now),
      throttle: Array.from(this.#throttle.recent(), (stats) => this.#throttle.explain(stats, now)),
    };
  }
}
