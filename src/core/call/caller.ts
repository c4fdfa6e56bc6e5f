import type { ConcurrencyLimiter } from '../admission/concurrency-limiter.js';
import { checkInteger, checkPositive, withDefaults } from '../check.js';
import type { Roster } from '../health/roster.js';
import { WaitingLine, type WaitingLineOptions } from '../health/waiting-line.js';
import { DecayingAverage } from '../measuring/decaying-average.js';
import type { BackendPick, NoPick, Picker } from '../picking/picker.js';
import type { RetryBudget } from '../retrying/retry-budget.js';
import type { AdaptiveThrottle } from '../throttling/adaptive-throttle.js';
import { Call, type CallRequest } from './call.js';

/** The parts that decide for one service, made once and shared by all its calls. */
export interface CallerParts {
  /** The service's name, under which the throttle keeps its statistics. */
  readonly service: string;
  readonly roster: Roster;
  readonly picker: Picker;
  readonly throttle: AdaptiveThrottle;
  readonly budget: RetryBudget;
  /** Asked before each retry, if given: a locality has only so much to give (`LocalityRouter.tryTake`). */
  readonly tryTakeCapacity?: (now: number) => boolean;
  /**
   * How many attempts may be without an answer at once, if that is bounded: a service that has become slow then holds no
   * more of its client than this, and the least critical are the first to be refused.
   */
  readonly limiter?: ConcurrencyLimiter;
}

/** How often a request is sent, and how long it may wait for a backend. */
export interface CallerOptions {
  /** How often one request is sent at most. */
  readonly maxAttempts: number;
  /** How fast the expected time of an attempt follows what is measured. */
  readonly latencyDecayMs: number;
  /** How long, and how many, requests wait when all backends are busy. */
  readonly waiting: Partial<WaitingLineOptions>;
}

export const CALLER_DEFAULTS: CallerOptions = Object.freeze({
  // SRE ch. 21, "Deciding to Retry": three times on an overloaded task, and the whole datacenter probably is.
  maxAttempts: 3,
  // As long as the retry budget looks back: both answer "is a retry worth it now?".
  latencyDecayMs: 10_000,
  waiting: Object.freeze({}),
});

/**
 * Composes the decisions of a client for one service: throttle → pick → attempt → outcome → retry. It does nothing
 * itself: each call says what to do next (`call.step`), and the driver, sockets or simulator, does it and reports back.
 *
 * After every `onOutcome` and `abort`, and after every change of the roster, there may be room for others: call
 * `resume` until it returns undefined. Keep one timer for `nextExpiryMs`, and call `expire` then, likewise.
 */
export class Caller<R extends CallRequest = CallRequest> {
  readonly parts: CallerParts;
  readonly maxAttempts: number;
  readonly line: WaitingLine<Call<R>>;
  readonly #latency: DecayingAverage;

  constructor(parts: CallerParts, given?: Partial<CallerOptions>) {
    const options = withDefaults('caller', CALLER_DEFAULTS, given);
    this.parts = parts;
    this.maxAttempts = checkInteger('maxAttempts', options.maxAttempts, 1);
    this.#latency = new DecayingAverage({ decayMs: checkPositive('latencyDecayMs', options.latencyDecayMs) });
    this.line = new WaitingLine(options.waiting);
  }

  /** A new request. What to do with it is its `step`. */
  start(request: R, now: number): Call<R> {
    const call = new Call(this, request);
    call.begin(now);
    return call;
  }

  /** The next waiting call for which there is a backend now, with its next step; undefined when there is none. */
  resume(now: number): Call<R> | undefined {
    if (this.line.size === 0 || !this.hasRoom(now)) return undefined;
    const call = this.line.next(now);
    call?.resume(now);
    return call;
  }

  /** One more can be sent right now. */
  hasRoom(now: number): boolean {
    const { limiter, roster } = this.parts;
    if (limiter !== undefined && limiter.inFlight >= limiter.limit) return false;
    return roster.snapshot(now).open.size > 0;
  }

  /** For Call: where to send an attempt. It holds one of the limiter's places until that is given back there. */
  pick(now: number): BackendPick | NoPick {
    const { limiter, picker, roster } = this.parts;
    if (limiter === undefined) return picker.pick(now);
    if (!limiter.tryAcquire(now)) return 'all-busy';
    let pick: BackendPick | NoPick = 'all-busy';
    try {
      pick = picker.pick(now);
    } finally {
      // Also when the policy throws.
      if (typeof pick === 'string') limiter.cancel();
    }
    if (pick === 'all-busy') limiter.boundBy(roster.activeLimit * roster.snapshot(now).backends.length);
    return pick;
  }

  /** The next call that has waited for as long as it may; undefined when there is none. */
  expire(now: number): Call<R> | undefined {
    const call = this.line.expired(now);
    call?.expire(now);
    return call;
  }

  /** When `expire` has something to do, at the earliest; undefined while nobody waits. */
  get nextExpiryMs(): number | undefined {
    return this.line.nextExpiryMs;
  }

  /** How long an attempt takes, as far as is known; 0 when nothing is. */
  expectedMs(now: number): number {
    return this.#latency.value(now) ?? 0;
  }

  /** For Call: an attempt was answered after so long. */
  onLatency(latencyMs: number, now: number): void {
    this.#latency.observe(now, latencyMs);
  }
}
