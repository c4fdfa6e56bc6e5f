import { checkInteger, checkNonNegative, checkOneOf, checkWithin } from '../check.js';
import { MOST_MS } from './capacity-messages.js';

export const CAPACITY_ALGORITHMS = ['static', 'proportional', 'fair'] as const;

/** How a capacity is divided: see `allocate`. `static` is a cap on each client and not a division. */
export type CapacityAlgorithm = (typeof CAPACITY_ALGORITHMS)[number];

/** What all servers of a tree have. Those that take each other's place must agree on `leaseMs`. */
export interface CapacityServerOptions {
  /** How a capacity that is too small is divided. */
  readonly algorithm: CapacityAlgorithm;
  /** How long a lease holds: a day at the most. */
  readonly leaseMs: number;
  /** How often a client asks. */
  readonly refreshMs: number;
  /** How soon it asks again when others wait for it, and no client asks more often. */
  readonly hurryMs: number;
  /** For how long a server that has started hands out only what clients say they have. undefined: for one lease. */
  readonly learningMs: number | undefined;
  /** More are refused: for those there are trees. */
  readonly maxClients: number;
}

export const CAPACITY_SERVER_DEFAULTS: CapacityServerOptions = Object.freeze({
  /** Nobody gets more by asking for more. */
  algorithm: 'fair',
  /**
   * Doorman's. It is how long clients work on when the server is gone, and how long what a client that died had is of
   * use to nobody. Whoever expects longer outages takes a longer lease.
   */
  leaseMs: 60_000,
  /** Doorman's: three may be lost in a row before the lease ends. */
  refreshMs: 16_000,
  /** A client that was told to use less says within a second that it does, and only then others get it. */
  hurryMs: 1_000,
  /** 0 is for one that knows that no lease can be out: the first of its name. */
  learningMs: undefined,
  /**
   * Each ask looks at all of them: about 0.5 ms for a thousand, so 63 asks a second at the default refresh take 3 % of
   * a core. For more there are trees.
   */
  maxClients: 1_000,
});

export function checkServerOptions(options: CapacityServerOptions): void {
  checkOneOf('algorithm', options.algorithm, CAPACITY_ALGORITHMS);
  // Clients believe no longer one.
  checkWithin('leaseMs', options.leaseMs, 1, MOST_MS);
  checkWithin('refreshMs', options.refreshMs, 1, options.leaseMs);
  checkWithin('hurryMs', options.hurryMs, 1, options.refreshMs);
  if (options.learningMs !== undefined) checkNonNegative('learningMs', options.learningMs);
  checkInteger('maxClients', options.maxClients, 1);
}
