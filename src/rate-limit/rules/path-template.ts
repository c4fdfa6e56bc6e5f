/** More parts than any path of a real service has; what has more is matched by its first ones. */
const MOST_PARTS = 64;

/** More than this is written by nobody who means well. */
const MOST_DECODINGS = 4;

/** `http://host/path` without its host, and `//host/path`, which some take for the same. */
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*/i;

/** What has none of these is read by all in the same way, but for case and last slash. */
const AMBIGUOUS = /^[^/]|[%\\;#]|\/\.|\/\//;

/**
 * A path with holes: `/users/:id`, `/static/*` or a plain one.
 *
 * Frameworks read one path in different ways: any case, with or without the last slash, `%61` as `a`, `..` as one up. A
 * template fits if any reading does: more rules hold then, and nobody gets around one by a way of writing.
 */
export class PathTemplate {
  readonly #segments: readonly string[];

  constructor(field: string, template: string) {
    if (typeof template !== 'string' || !template.startsWith('/') || template.includes('?')) {
      throw new RangeError(`${field} must begin with / and have no query, got ${JSON.stringify(template)}`);
    }
    this.#segments = partsOf(template.toLowerCase());
    const star = this.#segments.indexOf('*');
    if (star >= 0 && star < this.#segments.length - 1) {
      throw new RangeError(`${field} must have * as its last part, got ${JSON.stringify(template)}`);
    }
  }

  matches(url: string): boolean {
    const path = pathOf(url);
    if (this.#fits(partsOf(path.toLowerCase()))) return true;
    if (!AMBIGUOUS.test(path)) return false;
    return [path, path.replace(AUTHORITY, '')].some((reading) => this.#fits(resolved(reading)));
  }

  #fits(parts: readonly string[]): boolean {
    for (const [i, segment] of this.#segments.entries()) {
      if (segment === '*') return true;
      if (i >= parts.length || (!segment.startsWith(':') && segment !== parts[i])) return false;
    }
    return parts.length === this.#segments.length;
  }
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function partsOf(path: string): string[] {
  return path.split('/', MOST_PARTS).filter((part) => part !== '');
}

/** As it may be meant: escapes resolved, however often, parameters cut off, dots followed. */
function resolved(path: string): string[] {
  const parts: string[] = [];
  const plain = decoded(path)
    .replace(/[;#?].*$/s, '')
    .toLowerCase();
  for (const part of plain.split(/[/\\]+/, MOST_PARTS)) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts;
}

/** One by one: a single bad escape must not keep the others from being read. */
function decoded(path: string): string {
  let text = path;
  for (let i = 0; i < MOST_DECODINGS && text.includes('%'); i++) {
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return text;
}
