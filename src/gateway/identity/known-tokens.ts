import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Some 200 bytes each: 2 MB. */
const MOST_KNOWN = 10_000;

/** As long as keys of an issuer are believed: one that is withdrawn counts no longer. */
const MOST_MS = 600_000;

const MOST_LETTERS = 8_192;

interface Known {
  readonly customer: string;
  readonly untilMs: number;
}

/**
 * Tokens that were verified, and whose they are: so the next request with one is known before it is let in, where there
 * is no time to verify. Times are of the wall clock, as tokens are.
 */
export class KnownTokens {
  readonly #known = new LRUCache<string, Known>({ max: MOST_KNOWN });

  find(header: string | undefined, nowMs: number): string | undefined {
    if (header === undefined || header.length > MOST_LETTERS) return undefined;
    const known = this.#known.get(idOf(header));
    return known === undefined || nowMs >= known.untilMs ? undefined : known.customer;
  }

  /** `exp`: as a claim has it, in seconds; undefined when the token says nothing. */
  learn(header: string, customer: string, exp: string | undefined, nowMs: number): void {
    const expiresMs = exp === undefined ? Number.POSITIVE_INFINITY : Number(exp) * 1_000;
    if (Number.isNaN(expiresMs)) return;
    this.#known.set(idOf(header), { customer, untilMs: Math.min(expiresMs, nowMs + MOST_MS) });
  }
}

/** Who has a token may act for somebody: it is not kept. */
function idOf(header: string): string {
  return hash('sha256', header, 'base64url');
}
