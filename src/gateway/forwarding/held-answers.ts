/** An answer whose head waits for what comes next. */
export interface Held {
  /** It goes out, if it has not. */
  release(): void;
}

/**
 * Answers whose heads are held back until the turn is over, so that what is read at once is written at once. One
 * immediate for all of a turn.
 */
export class HeldAnswers {
  #held: Held[] = [];
  #spare: Held[] = [];
  readonly #later: (callback: () => void) => unknown;

  constructor(later: (callback: () => void) => unknown) {
    this.#later = later;
  }

  add(answer: Held): void {
    if (this.#held.push(answer) === 1) this.#later(this.#release);
  }

  readonly #release = (): void => {
    const held = this.#held;
    this.#held = this.#spare;
    for (const answer of held) answer.release();
    held.length = 0;
    this.#spare = held;
  };
}

export const heldAnswers = new HeldAnswers(setImmediate);
