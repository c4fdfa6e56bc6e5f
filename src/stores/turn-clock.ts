import type { Environment } from '../core/index.js';

/**
 * How often one reading is used. Code that only ever awaits what is there already keeps the event loop from turning, and
 * would otherwise stop the time: 64 decisions take some 10 µs, and a reading shared by as many costs next to nothing.
 */
const MOST_USES = 64;

/** Calls back when the turn of the event loop is over. */
type AtEndOfTurn = (forget: () => void) => unknown;

/**
 * Milliseconds since the epoch that never go back: the wall clock when this was made, and monotonic time since. Windows
 * thus begin where people expect them, and setting the clock neither opens nor closes one.
 *
 * It is read once for each turn of the event loop, since reading it is what a decision in memory mostly costs. It is forgotten
 * by `setImmediate`, which runs after the I/O of the turn. One that is unref'd would not do: the loop then sleeps for I/O
 * before it gets there, and who wakes it is told the time of when it fell asleep.
 */
export class TurnClock {
  readonly #environment: Environment;
  readonly #atEndOfTurn: AtEndOfTurn;
  readonly #forget: () => void;
  readonly #originMs: number;
  /** Not a number from the start: engines then hand on the one that was read, and make no new one for each call. */
  #nowMs: number | undefined = undefined;
  #usesLeft = 0;
  #willForget = false;

  constructor(environment: Environment, atEndOfTurn: AtEndOfTurn = setImmediate) {
    this.#environment = environment;
    this.#atEndOfTurn = atEndOfTurn;
    this.#originMs = environment.wallMs() - environment.monotonicMs();
    this.#forget = () => {
      this.#usesLeft = 0;
      this.#willForget = false;
    };
  }

  now(): number {
    if (this.#usesLeft === 0 || this.#nowMs === undefined) return this.#read();
    this.#usesLeft--;
    return this.#nowMs;
  }

  #read(): number {
    this.#nowMs = this.#originMs + this.#environment.monotonicMs();
    this.#usesLeft = MOST_USES - 1;
    if (!this.#willForget) {
      this.#willForget = true;
      this.#atEndOfTurn(this.#forget);
    }
    return this.#nowMs;
  }
}
