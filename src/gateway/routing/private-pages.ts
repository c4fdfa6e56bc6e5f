import type { PathTemplate } from './path-template.js';
import { readPath } from './request-path.js';

/**
 * Pages that a backend has for its clients, of which the gateway is one: its state, its load, a stream of both. It trusts
 * the gateway, and cannot know who asks behind it; and a hundred streams that never end are all places that it has.
 */
export class PrivatePages {
  readonly #prefix: string;
  /** As paths are compared. Empty: all would be below it, so none is meant. */
  readonly #parts: readonly string[];

  constructor(prefix: string) {
    this.#prefix = prefix.toLowerCase();
    this.#parts = readPath(prefix)?.parts ?? [];
  }

  /** Whether somebody has written that these, or some of them, are to be asked for. */
  areNamedBy({ parts }: PathTemplate): boolean {
    return isBelow(parts, this.#parts);
  }

  /** `path`: as it is sent on, without its query. Most have another beginning, and are looked at no further. */
  include(path: string): boolean {
    if (this.#parts.length === 0) return false;
    if (isReadInOneWay(path) && path.slice(0, this.#prefix.length).toLowerCase() !== this.#prefix)
      return false;
    const read = readPath(path);
    if (read === undefined) return false;
    return isBelow(read.parts, this.#parts) || read.others.some((other) => isBelow(other, this.#parts));
  }
}

/** Nothing of it is decoded or cut off by anybody (see `readPath`): it begins as it is written. */
function isReadInOneWay(path: string): boolean {
  return !path.includes('%') && !path.includes(';');
}

function isBelow(parts: readonly (string | undefined)[], prefix: readonly string[]): boolean {
  return parts.length >= prefix.length && prefix.every((part, i) => part === parts[i]);
}
