import { checkInteger } from '../check.js';
import type { AlgorithmName, RateAlgorithm, RateDecision, RateState } from './rate-algorithm.js';

/** Where states lie that are changed in place: one array for all keys of a store, or a list for each. */
export type Cells = Float64Array | number[];

/**
 * An algorithm on states that are changed in place: 16 to 24 bytes a key in one Float64Array, and no object but the
 * decision. This is where the arithmetic is; the pure form is made of it by `pureAlgorithm`. Zeros are the state of
 * somebody who never came.
 */
export interface InPlaceAlgorithm {
  readonly name: AlgorithmName;

  /** How many numbers a state has, beginning at `at`; 0: it is a number[] of its own that grows, and `at` is 0. */
  readonly width: number;

  takeAt(cells: Cells, at: number, now: number, cost: number): RateDecision;

  refundAt(cells: Cells, at: number, now: number, cost: number, takenAtMs?: number): void;

  /**
   * Gives back what is certainly still there of what was taken, as if it had never been: for somebody who must not let
   * through more than the bound, whenever it is done. What it costs is that too little may be given back.
   *
   * A bucket gives back cost × unit − what has leaked since. Had it never been taken, the level would be lower by at
   * least that: the two levels only come closer while the lower one is empty, and then by what leaks.
   */
  undoAt(cells: Cells, at: number, now: number, cost: number, takenAtMs: number): void;

  /** Takes whether or not there is room, into a debt of at most one limit. */
  chargeAt(cells: Cells, at: number, now: number, cost: number): void;

  expiryAt(cells: Cells, at: number): number;
}

/** What `takeAt` would say, in place: decided on a copy. */
export function peekAt(
  algorithm: InPlaceAlgorithm,
  cells: Cells,
  at: number,
  now: number,
  cost: number,
): RateDecision {
  const end = algorithm.width === 0 ? cells.length : at + algorithm.width;
  return algorithm.takeAt(Array.from(cells.slice(at, end)), 0, now, cost);
}

/** Takes or gives back the difference between what was taken and what was used. */
export function settleAt(
  algorithm: InPlaceAlgorithm,
  cells: Cells,
  at: number,
  now: number,
  reserved: number,
  actual: number,
  takenAtMs?: number,
): void {
  checkInteger('reserved', reserved, 0);
  checkInteger('actual', actual, 0);
  if (actual < reserved) algorithm.refundAt(cells, at, now, reserved - actual, takenAtMs);
  if (actual > reserved) algorithm.chargeAt(cells, at, now, actual - reserved);
}

/** The pure form: the same on a copy of the state. */
export function pureAlgorithm(algorithm: InPlaceAlgorithm): RateAlgorithm {
  const none: RateState = new Array<number>(algorithm.width).fill(0);
  return {
    name: algorithm.name,
    take(state, now, cost) {
      const next = [...(state ?? none)];
      return { decision: algorithm.takeAt(next, 0, now, cost), state: next };
    },
    peek: (state, now, cost) => algorithm.takeAt([...(state ?? none)], 0, now, cost),
    refund(state, now, cost, takenAtMs) {
      const next = [...state];
      algorithm.refundAt(next, 0, now, cost, takenAtMs);
      return next;
    },
    settle(state, now, reserved, actual, takenAtMs) {
      const next = [...state];
      settleAt(algorithm, next, 0, now, reserved, actual, takenAtMs);
      return next;
    },
    expiryMs: (state) => algorithm.expiryAt([...state], 0),
  };
}
