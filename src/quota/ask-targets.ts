import { checkDistinct } from '../core/check.js';
import { addressWords, isAddress } from './capacity-address.js';

/** So many servers take each other's place at the most: an ask goes to each of them in turn. */
const MOST_URLS = 16;

/** One address or several of servers that take each other's place. */
export function checkUrls(field: string, given: unknown, protocols: readonly string[]): readonly string[] {
  const urls: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (urls.length === 0 || urls.length > MOST_URLS) {
    throw new RangeError(`${field} must be 1 to ${MOST_URLS} addresses, got ${urls.length}`);
  }
  for (const url of urls) {
    if (!isAddress(url, protocols))
      throw new RangeError(`${field} must be ${addressWords(protocols)}, got ${String(url)}`);
  }
  checkDistinct(field, urls as readonly string[]);
  return [...(urls as readonly string[])];
}

/**
 * Whom to ask: first the one that answered last time, or that was said to be master; then the others in turn, each once.
 */
export class AskTargets {
  readonly #urls: readonly string[];
  readonly #protocols: readonly string[];
  #first: string;
  #tried = new Set<string>();

  /** Nobody follows to an address of another protocol than these. */
  constructor(urls: readonly string[], protocols: readonly string[]) {
    this.#urls = urls;
    this.#protocols = protocols;
    this.#first = urls[0]!;
  }

  begin(): string {
    this.#tried = new Set([this.#first]);
    return this.#first;
  }

  answered(url: string): void {
    this.#first = url;
  }

  /** It had no answer, and perhaps said who has one. undefined: all were asked. */
  next(failed: string, master: unknown): string | undefined {
    // One that is not of the list is left as soon as it fails.
    if (failed === this.#first) this.#first = this.#after(failed);
    const isNew = isAddress(master, this.#protocols) && !this.#tried.has(master);
    const canFollow = isNew && this.#tried.size <= this.#urls.length;
    const url = canFollow ? master : this.#urls.find((each) => !this.#tried.has(each));
    if (canFollow) this.#first = master;
    if (url !== undefined) this.#tried.add(url);
    return url;
  }

  #after(url: string): string {
    return this.#urls[(this.#urls.indexOf(url) + 1) % this.#urls.length]!;
  }
}
