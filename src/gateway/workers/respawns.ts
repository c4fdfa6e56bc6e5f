import { checkPositive, withDefaults } from '../../core/check.js';
import { elapsedMs } from '../../core/index.js';

export interface RespawnOptions {
  /** Who has lived for so long did not die of its birth. */
  readonly oldMs: number;
  /** How long a place stays empty after the first early death. */
  readonly firstMs: number;
  /** And at the most. */
  readonly mostMs: number;
}

export const RESPAWN_DEFAULTS: RespawnOptions = Object.freeze({
  // Long enough to have taken requests: what kills by a request that comes all the time kills sooner.
  oldMs: 30_000,
  // To start one takes most of a core for a while: what may be in vain must leave the rest to those that serve.
  firstMs: 500,
  // Whoever mends what is wrong waits so long for the effect; a start every half minute is nothing.
  mostMs: 30_000,
});

/** How long a place stays empty after who was there has died: longer each time when they die young, never a storm of starts. */
export class Respawns {
  readonly #options: RespawnOptions;
  #early = 0;

  constructor(given?: Partial<RespawnOptions>) {
    this.#options = withDefaults('respawns', RESPAWN_DEFAULTS, given);
    checkPositive('oldMs', this.#options.oldMs);
    checkPositive('firstMs', this.#options.firstMs);
    checkPositive('mostMs', this.#options.mostMs);
  }

  /** One that began at `bornMs` has died: wait so long before the next. */
  died(bornMs: number, now: number): number {
    const { oldMs, firstMs, mostMs } = this.#options;
    if (elapsedMs(bornMs, now) >= oldMs) {
      this.#early = 0;
      // Of what it was killed by nothing is known: the first replacement comes at once.
      return 0;
    }
    this.#early++;
    // One that dies young may have been shot.
    return this.#early === 1 ? 0 : Math.min(mostMs, firstMs * 2 ** Math.min(this.#early - 2, 30));
  }
}
