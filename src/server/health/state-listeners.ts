import type { GateState } from '../../core/index.js';

/** Who wants to know of changes of state, and what they were told last. */
export class StateListeners {
  readonly #listeners = new Set<(state: GateState) => void>();
  #last: GateState;

  constructor(state: GateState) {
    this.#last = state;
  }

  add(listener: (state: GateState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells them when it is another state than the last; whether it was. */
  tell(state: GateState): boolean {
    if (state === this.#last) return false;
    this.#last = state;
    for (const listener of [...this.#listeners]) listener(state);
    return true;
  }
}
