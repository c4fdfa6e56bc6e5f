import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { variantKeyOf } from './copy-key.js';
import type { StaleCopy } from './stale-copy.js';
import { MOST_VARIED } from './storable.js';

/** In place of a copy where there are several: the request headers by which they are told apart. */
class Variants {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    this.names = names;
  }
}

/** What the objects around an entry take, roughly. */
const OVERHEAD_BYTES = 500;

/** Copies by what was asked for, the least recently used ones leaving first. */
export class CopyStore {
  readonly #entries: LRUCache<string, StaleCopy | Variants>;

  constructor(maxEntries: number, maxBytes: number) {
    this.#entries = new LRUCache({ max: maxEntries, maxSize: maxBytes });
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** The copy that these request headers select, if it may still be used. */
  find(key: string, headers: IncomingHttpHeaders, nowMs: number): StaleCopy | undefined {
    let found = key;
    let entry = this.#entries.get(key);
    if (entry instanceof Variants) {
      found = variantKeyOf(key, entry.names, headers);
      entry = this.#entries.get(found) as StaleCopy | undefined;
    }
    if (entry === undefined || entry.isUsable(nowMs)) return entry;
    this.#entries.delete(found);
    return undefined;
  }

  /**
   * Names once seen to matter matter for all later copies of the same: a handler that says `Vary` only now and then would
   * otherwise have one visitor's answer given to others. False when it could not be kept.
   */
  put(key: string, variedBy: readonly string[], headers: IncomingHttpHeaders, copy: StaleCopy): boolean {
    const known = this.#entries.get(key);
    const before = known instanceof Variants ? known.names : [];
    const names = [...new Set([...before, ...variedBy])].sort();
    if (names.length > MOST_VARIED) return false;
    if (names.length > before.length) this.#set(key, new Variants(names), names.join().length);
    return this.#set(variantKeyOf(key, names, headers), copy, copy.bytes);
  }

  /** All variants at once: without their common entry none is found. */
  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** What is larger than everything together is not kept. */
  #set(key: string, entry: StaleCopy | Variants, bytes: number): boolean {
    this.#entries.set(key, entry, { size: bytes + key.length + OVERHEAD_BYTES });
    return this.#entries.has(key);
  }
}
