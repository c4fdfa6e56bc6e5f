import { checkInteger, checkNonNegative, withDefaults } from '../core/check.js';
import { elapsedMs } from '../core/elapsed.js';

export interface ContextDemandOptions {
  /** Requests served without anybody asking, before it is believed that nobody will. */
  readonly quietRequests: number;
  /** And the time that these took, at least. */
  readonly quietMs: number;
}

export const CONTEXT_DEMAND_DEFAULTS: ContextDemandOptions = Object.freeze({
  // A service asks in its handlers or not at all: a route that asks and gets 1 % of the requests is missed by a
  // thousand of them with a chance of 0.99^1000 = 0.004 %; one that gets 0.1 %, with 37 %. It then loses what was in
  // flight when it asked first, and nothing after.
  quietRequests: 1_000,
  // Long enough for warming up and for health checks, which ask nothing, to be over.
  quietMs: 10_000,
});

/**
 * Whether anybody asks which request is being served. Where that costs something with every request (see Propagation),
 * it is kept up from the start, given up once enough requests have passed without a question, and taken up for good
 * with the first.
 */
export class ContextDemand {
  readonly #options: ContextDemandOptions;
  #unasked = 0;
  #nextLook: number;
  #sinceMs: number;
  #isAsked = false;
  #isGivenUp = false;

  constructor(now: number, given?: Partial<ContextDemandOptions>) {
    const options = withDefaults('contextDemand', CONTEXT_DEMAND_DEFAULTS, given);
    checkInteger('quietRequests', options.quietRequests, 1);
    checkNonNegative('quietMs', options.quietMs);
    this.#options = options;
    this.#nextLook = options.quietRequests;
    this.#sinceMs = now;
  }

  get isWanted(): boolean {
    return !this.#isGivenUp;
  }

  /** True: tell the time to `look`. A clock read per request would cost as much as some hooks do. */
  onRequest(): boolean {
    return ++this.#unasked >= this.#nextLook && !this.#isAsked;
  }

  look(now: number): void {
    const { quietRequests, quietMs } = this.#options;
    this.#nextLook = this.#unasked + quietRequests;
    if (elapsedMs(this.#sinceMs, now) >= quietMs) this.#isGivenUp = true;
  }

  onAsked(): void {
    this.#isAsked = true;
    this.#isGivenUp = false;
  }
}
