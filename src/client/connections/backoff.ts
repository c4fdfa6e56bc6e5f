import { checkPositive, checkWithin, withDefaults } from '../../core/check.js';
import type { Random } from '../../core/index.js';

/** How long to wait after a failed connection: longer each time, and never the same for all clients. */
export interface BackoffOptions {
  /** The first wait, on average. */
  readonly firstMs: number;
  /** Each wait is so many times the one before … */
  readonly factor: number;
  /** … up to this. */
  readonly mostMs: number;
  /** By this share a wait is shorter or longer than its mean. */
  readonly jitter: number;
}

export const BACKOFF_DEFAULTS: BackoffOptions = Object.freeze({
  // A process that is being replaced is back after a second or so: with the first waits of 100, 160, 256 … ms it is
  // found within a third of the time that it was away.
  firstMs: 100,
  // gRPC's.
  factor: 1.6,
  // A thousand clients of a backend that is gone for good then cost its address 200 attempts a second at the most.
  mostMs: 5_000,
  // All clients of a backend lose it in the same moment, and should not all come back in the same.
  jitter: 0.5,
});

export function checkBackoffOptions(given: Partial<BackoffOptions> | undefined): BackoffOptions {
  const options = withDefaults('backoff', BACKOFF_DEFAULTS, given);
  checkPositive('firstMs', options.firstMs);
  checkWithin('factor', options.factor, 1, 100);
  checkPositive('mostMs', options.mostMs);
  checkWithin('jitter', options.jitter, 0, 1);
  return options;
}

/** How long to wait before the next attempt to connect. */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #random: Random;
  #nextMs: number;

  constructor(random: Random, given?: Partial<BackoffOptions>) {
    const options = checkBackoffOptions(given);
    this.#options = options;
    this.#random = random;
    this.#nextMs = options.firstMs;
  }

  next(): number {
    const { factor, mostMs, jitter } = this.#options;
    const meanMs = Math.min(this.#nextMs, mostMs);
    this.#nextMs = meanMs * factor;
    return meanMs * (1 + jitter * (2 * this.#random() - 1));
  }

  /** It worked: the next failure is a first one again. */
  reset(): void {
    this.#nextMs = this.#options.firstMs;
  }
}
