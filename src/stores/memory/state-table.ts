import type { Cells, Random } from '../../core/index.js';
import { KeySlots } from './key-slots.js';
import { CHUNK_BITS, CHUNK_SIZE, StateChunk } from './state-chunk.js';

/** What a table must know of the states in it. */
export interface StateKind {
  /** Numbers of a state; 0: a list of its own. */
  readonly width: number;
  expiryAt(cells: Cells, at: number): number;
  /** What still passes: 0 is somebody who is at the limit. */
  remainingAt(cells: Cells, at: number, now: number): number;
}

/** Redis samples 5 and is near the best choice; a few more cost less than the key that comes. */
const SAMPLES = 8;

/**
 * The states of one rule, by key: numbers in chunks that are added and dropped as a whole. A slot is a chunk and a place in
 * it. Beside the key's string that is, for a counter, 16 or 24 bytes of state, 8 for the key, 2 for the place, and 12 to
 * 24 to find it by.
 *
 * There is no timer for each key: a hand goes over the slots, a few at a time, and removes what has expired.
 */
export class StateTable {
  readonly #kind: StateKind;
  readonly #slots = new KeySlots(this);
  readonly #chunks: (StateChunk | undefined)[] = [];
  /** Chunks with room, those dropped included; the last one is filled next. */
  readonly #open: number[] = [];
  #hand = 0;

  constructor(kind: StateKind) {
    this.#kind = kind;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** -1: none. */
  find(key: string): number {
    return this.#slots.get(key);
  }

  keyOf(slot: number): string | undefined {
    return this.#chunks[slot >>> CHUNK_BITS]!.keyOf(slot);
  }

  cells(slot: number): Cells {
    return this.#chunks[slot >>> CHUNK_BITS]!.cells(slot);
  }

  at(slot: number): number {
    return (slot & (CHUNK_SIZE - 1)) * this.#kind.width;
  }

  /** A key that is not here yet, with a state of zeros. */
  add(key: string): number {
    if (this.#open.length === 0) {
      this.#open.push(this.#chunks.length);
      this.#chunks.push(undefined);
    }
    const index = this.#open.at(-1)!;
    this.#chunks[index] ??= new StateChunk(this.#kind.width);
    const chunk = this.#chunks[index];
    const slot = (index << CHUNK_BITS) | chunk.add(key);
    if (chunk.isFull) this.#open.pop();
    this.#slots.add(key, slot);
    return slot;
  }

  remove(slot: number): void {
    const index = slot >>> CHUNK_BITS;
    const chunk = this.#chunks[index]!;
    this.#slots.delete(chunk.keyOf(slot)!, slot);
    if (chunk.isFull) this.#open.push(index);
    chunk.remove(slot);
    // The one that is filled next stays: a single key that comes and goes would make it anew each time.
    if (chunk.isEmpty && index !== this.#open.at(-1)) this.#chunks[index] = undefined;
  }

  /** Looks at the next slots; returns how many it removed. */
  sweep(now: number, count: number): number {
    let removed = 0;
    for (let looked = 0; looked < count && this.size > 0; looked++) {
      const slot = this.#hand;
      const chunk = this.#chunks[slot >>> CHUNK_BITS];
      this.#hand = this.#next(slot, chunk);
      if (chunk?.keyOf(slot) === undefined) continue;
      if (this.#kind.expiryAt(chunk.cells(slot), this.at(slot)) > now) continue;
      this.remove(slot);
      removed++;
    }
    return removed;
  }

  /**
   * Of a few drawn by lot, the one whose loss does least: not at its limit if another is not, then the one that is forgotten
   * soonest anyway, then the one that has used least. Whoever floods a limiter with new keys thus mostly loses those.
   */
  evict(now: number, random: Random): void {
    if (this.size === 0) return;
    let victim = -1;
    let least = [0, 0, 0];
    for (let drawn = 0; drawn < SAMPLES; drawn++) {
      const slot = this.#occupiedFrom(Math.floor(random() * (this.#chunks.length << CHUNK_BITS)));
      const danger = this.#danger(slot, now);
      if (victim >= 0 && !isBelow(danger, least)) continue;
      victim = slot;
      least = danger;
    }
    this.remove(victim);
  }

  #danger(slot: number, now: number): number[] {
    const cells = this.cells(slot);
    const at = this.at(slot);
    const remaining = this.#kind.remainingAt(cells, at, now);
    return [remaining === 0 ? 1 : 0, this.#kind.expiryAt(cells, at), -remaining];
  }

  #occupiedFrom(first: number): number {
    let slot = first;
    while (true) {
      const chunk = this.#chunks[slot >>> CHUNK_BITS];
      if (chunk?.keyOf(slot) !== undefined) return slot;
      slot = this.#next(slot, chunk);
    }
  }

  /** The slot after this one; a chunk that is not there is passed in one step. */
  #next(slot: number, chunk: StateChunk | undefined): number {
    const next = chunk === undefined ? ((slot >>> CHUNK_BITS) + 1) << CHUNK_BITS : slot + 1;
    return next < this.#chunks.length << CHUNK_BITS ? next : 0;
  }
}

function isBelow(some: readonly number[], others: readonly number[]): boolean {
  for (const [index, value] of some.entries()) {
    if (value !== others[index]) return value < others[index]!;
  }
  return false;
}
