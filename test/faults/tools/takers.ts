import { setTimeout as sleep } from 'node:timers/promises';
import type { Limiter } from 'plimsoll/rate-limit';

/** What came of asking. */
export interface Taken {
  /** By limiter. */
  readonly allowed: Record<string, number>;
  asked: number;
  /** Decisions with a wait, a reset or a remainder below 0. */
  negative: number;
  longestWaitMs: number;
}

/** Asks several limiters at once, for far more than they let pass. */
export class Takers {
  readonly #limiters: readonly (readonly [string, Limiter])[];

  constructor(limiters: readonly (readonly [string, Limiter])[]) {
    this.#limiters = limiters;
  }

  async during(ms: number): Promise<Taken> {
    const taken: Taken = { allowed: {}, asked: 0, negative: 0, longestWaitMs: 0 };
    for (const endMs = performance.now() + ms; performance.now() < endMs; await sleep(20)) {
      await Promise.all(
        this.#limiters.map(async ([name, limiter]) => {
          const { allowed, retryAfterMs, resetMs, remaining } = await limiter.take('ann');
          taken.asked++;
          if (allowed) taken.allowed[name] = (taken.allowed[name] ?? 0) + 1;
          if (retryAfterMs < 0 || resetMs < 0 || remaining < 0) taken.negative++;
          taken.longestWaitMs = Math.max(taken.longestWaitMs, retryAfterMs);
        }),
      );
    }
    return taken;
  }
}
