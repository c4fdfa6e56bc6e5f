import type { RateDecision } from '../../core/index.js';
import type { RuleCode } from './rule-code.js';

/** What scripts answer: now, and remaining, resetMs and retryAfterMs of each entry; why one failed comes last. */
export class ScriptReply {
  readonly takenAtMs: number;
  readonly #numbers: readonly unknown[];
  readonly #entries: number;

  constructor(reply: unknown, entries: number) {
    if (!Array.isArray(reply) || reply.length < 1 + 3 * entries) {
      throw new Error(`Redis answered something else than ${entries} decisions`);
    }
    this.#numbers = reply as readonly unknown[];
    this.#entries = entries;
    this.takenAtMs = Number(reply[0]);
  }

  /** Throws when the state could not be read. */
  decision(index: number, { rule, limit }: RuleCode): RateDecision {
    const at = 1 + 3 * index;
    const remaining = Number(this.#numbers[at]);
    const resetMs = Number(this.#numbers[at + 1]);
    const retryAfterMs = Number(this.#numbers[at + 2]);
    // Not a number is no decision either.
    if (!(remaining >= 0 && resetMs >= 0 && retryAfterMs >= -1)) {
      throw new Error(`the state of rule ${rule.name} cannot be read: ${this.#failure}`);
    }
    return {
      allowed: retryAfterMs === 0,
      limit,
      remaining,
      resetMs,
      retryAfterMs: retryAfterMs < 0 ? Number.POSITIVE_INFINITY : retryAfterMs,
    };
  }

  get #failure(): string {
    return String(this.#numbers[1 + 3 * this.#entries] ?? 'it is no number');
  }
}
