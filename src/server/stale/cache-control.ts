/** Delta-seconds beyond this mean "for ever" (RFC 9111 1.2.2). */
const MOST_SECONDS = 2 ** 31;

/** A directive with its argument, plain or quoted; a comma within quotes ends nothing. */
const DIRECTIVE = /([^\s,;="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/g;

/** The directives of a `Cache-Control` field (RFC 9111 5.2). */
export class CacheControl {
  readonly #directives = new Map<string, string>();

  constructor(text: string) {
    for (const [, name, quoted, plain] of text.matchAll(DIRECTIVE)) {
      const directive = name!.toLowerCase();
      // Of several the first counts (RFC 9111 4.2.1).
      if (!this.#directives.has(directive)) this.#directives.set(directive, quoted ?? plain ?? '');
    }
  }

  /** Also when it is limited to some fields, `private="x-user"`: of what it allows for the others nothing is used. */
  has(directive: string): boolean {
    return this.#directives.has(directive);
  }

  /** Milliseconds; undefined when absent, 0 when it is no number ("considered stale", RFC 9111 4.2.1). */
  ms(directive: string): number | undefined {
    const argument = this.#directives.get(directive);
    if (argument === undefined) return undefined;
    return /^\d+$/.test(argument) ? Math.min(Number(argument), MOST_SECONDS) * 1_000 : 0;
  }
}
