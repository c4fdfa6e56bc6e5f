import { Event } from './event.js';

/** An event for what happens rarely: the action is made once, the timer set again and again. */
export class Timer extends Event {
  readonly #action: (now: number) => void;

  constructor(action: (now: number) => void) {
    super();
    this.#action = action;
  }

  happen(now: number): void {
    this.#action(now);
  }
}
