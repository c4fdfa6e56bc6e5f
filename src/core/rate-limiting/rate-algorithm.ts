export const ALGORITHM_NAMES = [
  'token-bucket',
  'leaking-bucket',
  'fixed-window',
  'sliding-log',
  'sliding-counter',
  'gcra',
] as const;

/** By which arithmetic is limited. */
export type AlgorithmName = (typeof ALGORITHM_NAMES)[number];

/** Whether a request passes, and how its key stands. */
export interface RateDecision {
  readonly allowed: boolean;
  /** The largest cost that can ever pass at once: the limit of a window, the burst of a bucket. */
  readonly limit: number;
  /** Whole units that would still pass now, after this request. */
  readonly remaining: number;
  /** Until it is as if nobody had ever come; 0 when it is. */
  readonly resetMs: number;
  /**
   * 0 when allowed. Otherwise exact: if nobody else comes, the same request passes after that time and not 1 ms
   * before. Infinity when it never can, because its cost is above the limit.
   */
  readonly retryAfterMs: number;
}

/** A few whole numbers, so that they fit a hash or a sorted set as they are. What they mean only their algorithm knows. */
export type RateState = readonly number[];

/**
 * An algorithm as a pure function of state, time and cost. undefined is the state of somebody who never came.
 *
 * The rules below hold for all of them, and for whatever else decides on the same state, so that both decide alike:
 * - Time is in whole milliseconds: fractions of `now` are cut off. Costs are whole.
 * - All numbers are integers below 2^53, sums and products too, and a double has these exactly. A quotient of two of
 *   them is never rounded across a whole number (it lies at least 1/divisor away, more than half a unit in its last
 *   place), so floor(a / b) and ceil(a / b) are exact as well.
 * - A request that is refused, or costs nothing, changes nothing.
 * - A state knows a latest time of its own. An earlier `now` (another Redis took over, a clock was set) counts as that
 *   time, so going back neither lets more through nor forgets. The times in a decision are counted from `now` itself.
 * - A state belongs to the options that it was made with.
 */
export interface RateAlgorithm<S = RateState> {
  readonly name: AlgorithmName;

  /** Decides and, if allowed, takes. The given state is left as it is. */
  take(state: S | undefined, now: number, cost: number): { decision: RateDecision; state: S };

  /** What `take` would say. */
  peek(state: S | undefined, now: number, cost: number): RateDecision;

  /**
   * Gives back what was taken and not used. Never more than is taken. A window counts a request where it came: for one
   * that is given back later, `takenAtMs` says when that was, and if its window is gone, there is nothing to give
   * back. Without it, it is what was taken last.
   *
   * A bucket does not know how much of it has leaked since, and gives back all: it may then pass more than its bound
   * by what was given back late.
   */
  refund(state: S, now: number, cost: number, takenAtMs?: number): S;

  /**
   * What was reserved by `take` has become what it really was. Too much is given back; too little is taken now whether
   * or not there is room, so that the next ones wait. Such a debt is at most one limit.
   */
  settle(state: S, now: number, reserved: number, actual: number, takenAtMs?: number): S;

  /** The instant from which on the state says no more than none would: keys may expire then. */
  expiryMs(state: S): number;
}
