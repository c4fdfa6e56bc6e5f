import type { Entry } from '../picker.js';

/** An entry knows its place in the pool, so that nobody has to look for it. */
export interface PooledEntry extends Entry {
  /** −1 when the pool has no answer of its backend. */
  slot: number;
}

/**
 * The last few answers to probes, at most one a backend. Fixed memory, parallel arrays without gaps: it is searched on
 * every pick. An answer leaves when it is too old, used up, replaced by a newer one of the same backend, pushed out by
 * one of another, or removed after a pick.
 */
export class ProbePool<E extends PooledEntry> {
  size = 0;
  readonly #entries: (E | undefined)[];
  readonly #inFlight: Float64Array;
  readonly #latencyMs: Float64Array;
  readonly #seenMs: Float64Array;
  readonly #usesLeft: Float64Array;

  constructor(readonly capacity: number) {
    this.#entries = new Array(capacity).fill(undefined);
    this.#inFlight = new Float64Array(capacity);
    this.#latencyMs = new Float64Array(capacity);
    this.#seenMs = new Float64Array(capacity);
    this.#usesLeft = new Float64Array(capacity);
  }

  entryAt(slot: number): E {
    return this.#entries[slot]!;
  }

  /** `uses`: how many picks the answer may serve. */
  add(entry: E, inFlight: number, latencyMs: number, uses: number, now: number): void {
    if (entry.slot < 0) {
      if (this.size === this.capacity) this.remove(this.oldest());
      entry.slot = this.size++;
      this.#entries[entry.slot] = entry;
    }
    const { slot } = entry;
    this.#inFlight[slot] = inFlight;
    this.#latencyMs[slot] = latencyMs;
    this.#seenMs[slot] = now;
    this.#usesLeft[slot] = uses;
  }

  /** Forgets what was seen at or before an instant. */
  expire(seenMs: number): void {
    for (let slot = this.size - 1; slot >= 0; slot--) if (this.#seenMs[slot]! <= seenMs) this.remove(slot);
  }

  /**
   * Prequal's hot–cold rule: among those with no more in flight than the threshold the fastest; if all are hot, the one
   * with the fewest in flight. −1 when no answer belongs to a backend that may be chosen.
   */
  best(threshold: number, canChoose: (entry: E) => boolean): number {
    let best = -1;
    let isBestCold = false;
    for (let slot = 0; slot < this.size; slot++) {
      const isCold = this.#inFlight[slot]! <= threshold;
      if (isBestCold && !isCold) continue;
      const isBetter =
        best < 0 ||
        isCold !== isBestCold ||
        (isCold
          ? this.#latencyMs[slot]! < this.#latencyMs[best]!
          : this.#inFlight[slot]! < this.#inFlight[best]!);
      if (!isBetter || !canChoose(this.#entries[slot]!)) continue;
      best = slot;
      isBestCold = isCold;
    }
    return best;
  }

  /** The hot one with the most in flight, else the slowest cold one. The pool must not be empty. */
  worst(threshold: number): number {
    let worst = 0;
    for (let slot = 1; slot < this.size; slot++) {
      const isHot = this.#inFlight[slot]! > threshold;
      const isWorstHot = this.#inFlight[worst]! > threshold;
      const isWorse = isHot
        ? !isWorstHot || this.#inFlight[slot]! > this.#inFlight[worst]!
        : !isWorstHot && this.#latencyMs[slot]! > this.#latencyMs[worst]!;
      if (isWorse) worst = slot;
    }
    return worst;
  }

  /** The pool must not be empty. */
  oldest(): number {
    let oldest = 0;
    for (let slot = 1; slot < this.size; slot++)
      if (this.#seenMs[slot]! < this.#seenMs[oldest]!) oldest = slot;
    return oldest;
  }

  /** The answer served a pick: the backend has one more in flight than it said. */
  use(slot: number): void {
    this.#inFlight[slot]!++;
    if (--this.#usesLeft[slot]! < 1) this.remove(slot);
  }

  remove(slot: number): void {
    const last = --this.size;
    const moved = this.#entries[last]!;
    this.#entries[slot]!.slot = -1;
    this.#entries[last] = undefined;
    if (slot === last) return;
    moved.slot = slot;
    this.#entries[slot] = moved;
    this.#inFlight[slot] = this.#inFlight[last]!;
    this.#latencyMs[slot] = this.#latencyMs[last]!;
    this.#seenMs[slot] = this.#seenMs[last]!;
    this.#usesLeft[slot] = this.#usesLeft[last]!;
  }

  /** Forgets the answer of one backend. */
  forget(entry: E): void {
    if (entry.slot >= 0) this.remove(entry.slot);
  }

  /** Forgets the answers of those that no longer may be chosen at all. */
  retain(isWanted: (entry: E) => boolean): void {
    for (let slot = this.size - 1; slot >= 0; slot--) if (!isWanted(this.#entries[slot]!)) this.remove(slot);
  }
}
