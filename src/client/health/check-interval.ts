import type { Random } from '../../core/index.js';
import type { HealthOptions } from './health-options.js';

/** How closely a backend is watched. */
export type HealthPace =
  /** Requests go there: that it is a lame duck must be heard of at once, and its load matters. */
  | 'active'
  /** Nobody has called for a while: cheap checks. */
  | 'inactive'
  /** Refusing, or a lame duck: we wait for it to come back. */
  | 'down';

export const HEALTH_PACES: readonly HealthPace[] = Object.freeze(['active', 'inactive', 'down']);

const INACTIVE_GROWTH = 2;
const DOWN_GROWTH = 1.5;

/** How long until the next check. It grows where little is expected, and never is the same for two clients. */
export class CheckInterval {
  readonly #options: HealthOptions;
  readonly #random: Random;
  #pace: HealthPace;
  #nextMs: number;

  constructor(pace: HealthPace, options: HealthOptions, random: Random) {
    this.#options = options;
    this.#random = random;
    this.#pace = pace;
    this.#nextMs = this.#firstMs();
  }

  get pace(): HealthPace {
    return this.#pace;
  }

  setPace(pace: HealthPace): void {
    this.#pace = pace;
    this.restart();
  }

  /** As at first: something has changed. */
  restart(): void {
    this.#nextMs = this.#firstMs();
  }

  next(): number {
    const ms = this.#nextMs;
    const { mostInactiveMs, mostDownMs } = this.#options;
    if (this.#pace === 'inactive') this.#nextMs = Math.min(ms * INACTIVE_GROWTH, mostInactiveMs);
    if (this.#pace === 'down') this.#nextMs = Math.min(ms * DOWN_GROWTH, mostDownMs);
    return this.spread(ms);
  }

  /** Around `ms`. */
  spread(ms: number): number {
    return ms * (1 + this.#options.jitter * (2 * this.#random() - 1));
  }

  #firstMs(): number {
    const { activeMs, inactiveMs, downMs } = this.#options;
    if (this.#pace === 'active') return activeMs;
    return this.#pace === 'inactive' ? inactiveMs : downMs;
  }
}
