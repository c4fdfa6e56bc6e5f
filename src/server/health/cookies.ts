import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { elapsedMs } from '../../core/index.js';
import { COOKIE_BYTES } from '../../wire/index.js';

/**
 * Proof that a client receives what is sent to its address, as DNS cookies have it (RFC 7873): a keyed hash of the
 * address, which only who read our answer can repeat. Nothing is kept for an address that has not proven itself, so
 * forged senders cost no memory. The key is of this process and changes; the one before is still taken.
 */
export class Cookies {
  readonly #lifeMs: number;
  #secret = randomBytes(32);
  #previous = randomBytes(32);
  #sinceMs: number;
  #generation = 0;

  /** A cookie holds for `lifeMs` at least, and for twice as long at most. */
  constructor(lifeMs: number, now: number) {
    this.#lifeMs = lifeMs;
    this.#sinceMs = now;
  }

  /** Changes with the key: as long as it is the same, so are the cookies. */
  generation(now: number): number {
    this.#turn(now);
    return this.#generation;
  }

  cookieFor(peer: string, now: number): Buffer {
    this.#turn(now);
    return digest(this.#secret, peer);
  }

  isValid(cookie: Uint8Array, peer: string, now: number): boolean {
    this.#turn(now);
    return (
      timingSafeEqual(cookie, digest(this.#secret, peer)) ||
      timingSafeEqual(cookie, digest(this.#previous, peer))
    );
  }

  #turn(now: number): void {
    const ageMs = elapsedMs(this.#sinceMs, now);
    if (ageMs < this.#lifeMs) return;
    // After a long silence the one before is just as old.
    this.#previous = ageMs < 2 * this.#lifeMs ? this.#secret : randomBytes(32);
    this.#secret = randomBytes(32);
    this.#generation++;
    this.#sinceMs = now;
  }
}

function digest(secret: Buffer, peer: string): Buffer {
  return createHmac('sha256', secret).update(peer).digest().subarray(0, COOKIE_BYTES);
}
