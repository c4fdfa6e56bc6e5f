/** Numbers in a row of `spare`: by the rank up to which a limit holds. */
export const SPARE_STRIDE = 4;

/**
 * A level from here on is none: all that is wanted fits. But the customer has used too much before, and is held to its
 * part of the step up to its rank.
 */
export const FITS = 1e30;

/**
 * Every so many levels tell of everybody, those between them only of who is held. The rest is for averages over ten seconds, the
 * same ones at all backends, which would change by little if they were looked at more often.
 */
export const WHOLE_EVERY = 4;

/**
 * What the coordinator tells all backends, the same to each. Of a customer that wants more than its limit, the
 * criticalities above a rank pass, those below it are refused, and of that rank each backend lets pass as much as the
 * level. Who is not listed is not held, and wants no more than its equal part anywhere.
 */
export interface QuotaLevels {
  /** Of the coordinator's term: a later one's is higher. */
  readonly token: number;
  /** Grows within a term. */
  readonly sequence: number;
  /** How many backends the limits are divided among. */
  readonly backends: number;
  readonly names: readonly string[];
  /** Whom the columns are about: rows of `names`, ascending. Undefined: about everybody, in the order of `names`. */
  readonly told?: Uint16Array | undefined;
  readonly rank: Uint8Array;
  /** A second, at each backend. Infinity: all that is wanted fits. */
  readonly level: Float64Array;
  /** 1: refuse beyond the level. 0: it still has savings, and the level counts only when nobody is heard any more. */
  readonly isHeld: Uint8Array;
  /**
   * SPARE_STRIDE numbers a row: what all backends together leave of each step of its limits; below zero, what they are
   * granted beyond it. Infinity: no such step.
   */
  readonly spare: Float64Array;
}
