import type { Metadata } from '@grpc/grpc-js';
import { metrics } from '@opentelemetry/api';
import { type ClientCounts, ClientTally } from '../../client/observing/client-tally.js';
import { registerMetrics } from '../../client/observing/metrics.js';
import { throttlesIn } from '../../client/observing/snapshot.js';
import { AttemptSpans } from '../../client/observing/spans.js';
import {
  AdaptiveThrottle,
  Caller,
  createPicker,
  RetryBudget,
  type RetryBudgetState,
  Roster,
  type ThrottleExplanation,
} from '../../core/index.js';
import type { GrpcAttempt } from './grpc-attempt.js';
import type { GrpcExchange } from './grpc-exchange.js';
import { GRPC_SPANS } from './grpc-spans.js';
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
  /** By criticality, outcome, code and number. */
  readonly counts: ClientCounts;
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
  readonly tally: ClientTally<GrpcExchange, GrpcAttempt, Metadata>;
  readonly #roster: Roster;
  readonly #throttle: AdaptiveThrottle;
  readonly #budget: RetryBudget;
  #stopMetrics: (() => void) | undefined = undefined;
  running = 0;
  calls = 0;
  refused = 0;

  constructor(settings: InterceptorSettings) {
    const { environment, service, throttle, retry, spans } = settings;
    this.settings = settings;
    this.tally = new ClientTally(service, spans ? new AttemptSpans(GRPC_SPANS) : undefined);
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

  /** Metrics begin with the first call: interceptors are made when modules are loaded, often before there is a meter. */
  onStarted(): void {
    this.running++;
    this.calls++;
    this.#stopMetrics ??= registerMetrics(metrics.getMeter('plimsoll'), () => ({
      service: this.settings.service,
      protocol: 'grpc',
      counts: this.tally,
      active: this.#active,
    }));
  }

  close(): void {
    this.#stopMetrics?.();
    this.#stopMetrics = () => {};
  }

  get #active(): number {
    return this.#roster.get(CHANNEL)!.active;
  }

  snapshot(): InterceptorSnapshot {
    const { running, calls, refused, settings } = this;
    const now = settings.environment.monotonicMs();
    const counts = this.tally.counts();
    return {
      service: settings.service,
      running,
      active: this.#active,
      calls,
      attempts: counts.attempts.reduce((sum, count) => sum + count, 0),
      refused,
      counts,
      budget: this.#budget.explain(now),
      throttle: throttlesIn(this.#throttle, now),
    };
  }
}
