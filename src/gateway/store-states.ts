/** How often limits have decided, since the start. */
export interface DecisionCounts {
  /** By the store. */
  readonly decided: number;
  /** Without it: it does not answer. */
  readonly undecided: number;
}

/** Whether the store of limits answers, as their decisions show from one look to the next. */
export class StoreStates {
  #seen: DecisionCounts = { decided: 0, undecided: 0 };
  #isReachable = true;

  /** Undefined: as before, or nobody has asked it. */
  change(now: DecisionCounts): boolean | undefined {
    const undecided = now.undecided - this.#seen.undecided;
    const decided = now.decided - this.#seen.decided;
    this.#seen = now;
    // Fewer than before: settings have changed, and others count.
    if (this.#isReachable && undecided > 0) return this.#turn(false);
    if (!this.#isReachable && undecided <= 0 && decided > 0) return this.#turn(true);
    return undefined;
  }

  #turn(isReachable: boolean): boolean {
    this.#isReachable = isReachable;
    return isReachable;
  }
}
