import { checkInteger, checkPositive, checkWithin, withDefaults } from '../check.js';

/** Bounds of the run queue, by how long one would wait. */
export interface RunQueueOptions {
  /** No request is let in that is expected to wait longer than this. */
  readonly maxWaitMs: number;
  /** The same while requests have been waiting without a pause for `tightenAfterMs`. */
  readonly tightWaitMs: number;
  /** From so long without a pause on, `tightWaitMs` holds: what came as a burst has been served by then. */
  readonly tightenAfterMs: number;
  /**
   * While overloaded, one that has waited longer than this is told so when its turn comes, and does not run: others have
   * waited less, and its caller may have better luck elsewhere. It got there behind more critical ones that came after
   * it, which no bound on arrival can know. Infinity: it runs.
   */
  readonly maxAgeMs: number;
  /** Requests count as waiting without a pause while one that came now would wait this long; 0: while any waits. */
  readonly standingWaitMs: number;
  /**
   * All of these are stretched together until the tight bound is as long as so many requests take, but no longer than a
   * second; 0: never. A bound shorter than a few requests refuses below capacity, by chance.
   */
  readonly leastRequests: number;
  /** No more requests than this wait at once, however fast they are expected to go. */
  readonly maxWaiting: number;
}

/**
 * Facebook's CoDel for requests ("Fail at Scale", ACM Queue 2015): a burst may wait for long, a standing queue may not.
 * A queue that never empties does not make the server faster; it only makes each answer later by its length.
 */
export const RUN_QUEUE_DEFAULTS: RunQueueOptions = Object.freeze({
  // CoDel's interval. It swallows a burst of 50 requests of 2 ms each, and nobody notices 100 ms once.
  maxWaitMs: 100,
  // Twice CoDel's target of 5 ms, as folly's executors have it. At 2 ms a request some five wait: enough that the
  // server does not run dry between two arrivals, and no more.
  tightWaitMs: 10,
  // The interval again: whatever maxWaitMs let in as a burst has been served by then. What waits now has come since.
  tightenAfterMs: 100,
  // Late or never: for who sets a deadline, that decides.
  maxAgeMs: Number.POSITIVE_INFINITY,
  // With nothing else to hold it down, a queue that does not empty is one too many. Where admission keeps queue time at
  // a target (QueuePressure), a queue of that length is wanted, and only a longer one stands.
  standingWaitMs: 0,
  // The bounds as they are: whoever gives them in milliseconds means these.
  leastRequests: 0,
  // Holds while nothing is known of how fast requests go, until the first has been taken. It is about as many as
  // a Node server can be sent in a second, and 10 MB at 1 KB each.
  maxWaiting: 10_000,
});

export function checkRunQueue(given: Partial<RunQueueOptions> | undefined): RunQueueOptions {
  const options = withDefaults('runQueue', RUN_QUEUE_DEFAULTS, given);
  checkPositive('maxWaitMs', options.maxWaitMs);
  checkPositive('tightWaitMs', options.tightWaitMs);
  checkWithin('tightWaitMs', options.tightWaitMs, 0, options.maxWaitMs);
  if (options.maxAgeMs !== Number.POSITIVE_INFINITY) checkPositive('maxAgeMs', options.maxAgeMs);
  checkPositive('tightenAfterMs', options.tightenAfterMs);
  checkWithin('standingWaitMs', options.standingWaitMs, 0, options.maxWaitMs);
  checkInteger('leastRequests', options.leastRequests, 0);
  checkInteger('maxWaiting', options.maxWaiting, 1);
  return options;
}
