import { setImmediate as turn } from 'node:timers/promises';
import { burn } from './burn.js';

/**
 * What a request of cost 1 takes on a machine of speed 1, in processor time. Two cores then serve some 150 a second, and
 * ten times that many are still little to do for a gateway and for the clients beside it.
 */
export const WORK_MS = 10;

/** As handlers do that call others and render what these have said: others have their turns in between. */
const TURN_MS = 0.2;

/** A request that costs more than any that is sent is a mistake, and must not block a backend for an hour. */
const MOST_COST = 20;

export interface WorkOptions {
  readonly speed: number;
  readonly roundsPerMs: number;
}

/** The work of one backend. */
export class Work {
  /** How many times longer everything takes. */
  slowdown = 1;
  readonly #roundsPerCost: number;
  readonly #roundsPerTurn: number;
  readonly #stillness = new Int32Array(new SharedArrayBuffer(4));

  constructor({ speed, roundsPerMs }: WorkOptions) {
    this.#roundsPerCost = (roundsPerMs * WORK_MS) / speed;
    this.#roundsPerTurn = roundsPerMs * TURN_MS;
  }

  /** Resolves when it is done. */
  async do(cost: number): Promise<void> {
    for (let left = this.#roundsPerCost * cost; left > 0; left -= this.#roundsPerTurn) {
      this.#turn(Math.min(left, this.#roundsPerTurn));
      await turn();
    }
  }

  #turn(rounds: number): void {
    const startMs = performance.now();
    burn(rounds);
    if (this.slowdown === 1) return;
    // As on a machine that gives its processor to others: nothing happens meanwhile, and this one's neighbours lose nothing.
    const workedMs = performance.now() - startMs;
    Atomics.wait(this.#stillness, 0, 0, workedMs * (this.slowdown - 1));
  }
}

/** `/page?cost=2`. */
export function costOf(url = '/'): number {
  const cost = Number(/[?&]cost=([\d.]+)/.exec(url)?.[1] ?? 1);
  return cost > 0 && cost <= MOST_COST ? cost : 1;
}
