import type {
  Criticality,
  Environment,
  LocalityRouterOptions,
  Policy,
  PolicyOptions,
  Random,
  RetryBudgetOptions,
  RosterOptions,
  SubsettingAlgorithm,
  ThrottleOptions,
  WaitingLineOptions,
} from '../core/index.js';
import type { ClientIdSource } from './client-id.js';
import type { ConnectionOptions } from './connections/connection-options.js';
import type { HealthOptions } from './health/index.js';
import type { ResolvedBackend, Resolver } from './resolving/index.js';

/** Which of the backends a client uses: few connections for each client, and equally many for each backend (SRE ch. 20). */
export interface SubsetOptions {
  /** Backends that this client uses. */
  readonly size: number;
  /** `rocksteadier` when the client has an id, else `random`. */
  readonly algorithm: SubsettingAlgorithm | undefined;
  /** The same for all clients of a service. */
  readonly seed: number;
  /**
   * `sorted`: a list in the order of its URLs, even to the last connection, half of which move when one joins or leaves
   * in the middle. `hashed`: within a fifth of even, and hardly any move. Default: `hashed`, and `sorted` for lists that
   * are given in code and for `deterministic`, which moves most of them anyway.
   */
  readonly seats: 'sorted' | 'hashed' | undefined;
}

export const SUBSET_DEFAULTS: SubsetOptions = Object.freeze({
  // SRE ch. 20, "Picking the Right Subset": 20 to 100 is typical. From 20 on a backend that is slow or gone is 5 % of
  // what a client has.
  size: 20,
  algorithm: undefined,
  seed: 0,
  seats: undefined,
});

/** What is sent again: within a budget, so that retries never become the load (SRE ch. 21). */
export interface RetryOptions {
  /** How often one request is sent at most. */
  readonly maxAttempts: number;
  /** How many retries requests earn, over how long: a tenth of all requests, over 10 s. */
  readonly budget: Partial<RetryBudgetOptions>;
  /** Of a body that comes as a stream so much is kept, to be sent again. */
  readonly maxBodyBytes: number;
}

export const RETRY_DEFAULTS: RetryOptions = Object.freeze({
  // SRE ch. 21, "Deciding to Retry".
  maxAttempts: 3,
  budget: Object.freeze({}),
  // What a server reads of the body of a request that it refuses: a longer one has met a closed connection.
  maxBodyBytes: 65_536,
});

/** Where this client is, and how far other places are: nearest first, the next when that one is full. */
export interface LocalityOptions extends Partial<LocalityRouterOptions> {
  /** Where this client is. */
  readonly own: string;
  /** How far the others are; those not named are as far as the farthest, and one more. Default: all the same. */
  readonly distances?: Readonly<Record<string, number>>;
}

/** All that a client can be told. Only `backends` has no default. */
export interface ClientOptions {
  /** Where the service is: origins such as `http://10.0.0.1:8080`, or a resolver. */
  readonly backends: readonly (string | ResolvedBackend)[] | Resolver;
  /** The service's name, in statistics and metrics. */
  readonly name?: string;
  /** What to call every backend in `Host` and TLS; default: its own host. */
  readonly host?: string;
  /** For subsetting: this client's number among its like, or who gives them out; default: from the environment. */
  readonly clientId?: number | ClientIdSource;
  /** `false`: all backends. */
  readonly subset?: Partial<SubsetOptions> | false;
  /** How backends are chosen; a function when each locality needs its own. */
  readonly policy?: PolicyOptions | Policy | ((random: Random) => Policy);
  /** How much more than was accepted is sent; `false`: as much as is asked for. */
  readonly throttle?: Partial<ThrottleOptions> | false;
  /** `false`: one attempt. */
  readonly retry?: Partial<RetryOptions> | false;
  /** Flow control, panic, outlier ejection. */
  readonly roster?: Partial<RosterOptions>;
  /** How long, and how many, requests wait when all backends are at their limit. */
  readonly waiting?: Partial<WaitingLineOptions>;
  /**
   * Requests that may wait for an answer at once, at all backends (of a locality) together: a number, or found out by how
   * long answers take. Default: as many as backends may have active.
   */
  readonly concurrency?: 'adaptive' | number;
  /** How connections are opened, kept and given up. */
  readonly connections?: Partial<ConnectionOptions>;
  /** `false`: backends are judged by connections and answers alone. */
  readonly health?: Partial<HealthOptions> | false;
  /** Nearest first, by zone. */
  readonly localities?: LocalityOptions;
  /** For requests that say nothing else, made outside of a guarded request. */
  readonly criticality?: Criticality;
  /** Who is billed for requests that say nothing else. */
  readonly customer?: string;
  /** How long requests that say nothing else may take, attempts and the body of the answer included. Default: no end. */
  readonly timeoutMs?: number;
  /** Refusals for overload: thrown as `RejectedError`, which a guard answers rightly, or handed on as they are. */
  readonly refusals?: 'throw' | 'answer';
  /** How long the first requests wait for the first connection. */
  readonly startTimeoutMs?: number;
  /** OpenTelemetry spans, one an attempt, when there is a tracer. */
  readonly spans?: boolean;
  /** Time and chance; for tests. */
  readonly environment?: Environment;
}
