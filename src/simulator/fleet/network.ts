import type { Random } from '../../core/environment.js';
import { createDistribution, type Distribution } from '../models/index.js';
import type { NetworkSpec } from './spec/index.js';

/** How long a message is under way. */
export class Network {
  readonly #delay: Distribution;
  readonly #betweenLocalitiesMs: number;
  readonly #lossShare: number;
  readonly #random: Random;

  constructor({ delayMs, betweenLocalitiesMs, lossShare }: NetworkSpec, random: Random) {
    this.#delay = createDistribution(delayMs);
    this.#betweenLocalitiesMs = betweenLocalitiesMs;
    this.#lossShare = lossShare;
    this.#random = random;
  }

  /** Infinity when it gets lost: an event at Infinity never happens. */
  delayMs(from: string, to: string): number {
    if (this.#lossShare > 0 && this.#random() < this.#lossShare) return Number.POSITIVE_INFINITY;
    return this.reliableDelayMs(from, to);
  }

  /** The same for what is repeated until it arrives. */
  reliableDelayMs(from: string, to: string): number {
    const delayMs = this.#delay.draw(this.#random);
    return from === to ? delayMs : delayMs + this.#betweenLocalitiesMs;
  }
}
