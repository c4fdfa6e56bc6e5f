import { hash } from 'node:crypto';
import type { KeyOwner } from '../settings/index.js';

/** Longer than any key; what is longer is not worth being hashed. */
const MOST_LETTERS = 512;

/**
 * Whose key it is. Keys are looked up by their hash: how long that takes says nothing about how near a guess was, and
 * whoever reads the settings has no key.
 */
export class ApiKeys {
  readonly #owners: ReadonlyMap<string, KeyOwner>;

  /** By `sha256:` and 64 hex digits. */
  constructor(table: Readonly<Record<string, KeyOwner>>) {
    this.#owners = new Map(Object.entries(table).map(([key, owner]) => [key.slice(7).toLowerCase(), owner]));
  }

  get size(): number {
    return this.#owners.size;
  }

  find(key: string | undefined): KeyOwner | undefined {
    if (key === undefined || key === '' || key.length > MOST_LETTERS) return undefined;
    // Headers come as bytes, one a letter.
    return this.#owners.get(hash('sha256', Buffer.from(key, 'latin1'), 'hex'));
  }
}
