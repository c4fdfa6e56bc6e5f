import { Event } from '../kernel/event.js';
import type { Attempt } from './attempt.js';

/** A client that waits no longer closes its stream: the backend hears of it a moment later. */
export class Abort extends Event {
  readonly #attempt: Attempt;

  constructor(attempt: Attempt) {
    super();
    this.#attempt = attempt;
  }

  happen(now: number): void {
    const { backend, process, request } = this.#attempt;
    if (!backend.isPartitioned && !request.link!.process.isPartitioned) process?.abort(this.#attempt, now);
  }
}
