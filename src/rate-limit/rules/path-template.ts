import { partsOf, readingsOf } from './path-readings.js';

/**
 * A path with holes: `/users/:id`, `/static/*` or a plain one.
 *
 * Frameworks read one path in different ways: any case, with or without the last slash, `%61` as `a`, `..` as one up. A
 * template fits if any reading does, and if there are too many to try: more rules hold then, and nobody gets around one by
 * a way of writing.
 */
export class PathTemplate {
  /** What a part must be; undefined for any. */
  readonly #parts: readonly (string | undefined)[];
  readonly #isOpen: boolean;

  constructor(field: string, template: string) {
    if (typeof template !== 'string' || !template.startsWith('/') || template.includes('?')) {
      throw new RangeError(`${field} must begin with / and have no query, got ${JSON.stringify(template)}`);
    }
    const written = template.split('/').filter((part) => part !== '');
    const star = written.indexOf('*');
    if (star >= 0 && star < written.length - 1) {
      throw new RangeError(`${field} must have * as its last part, got ${JSON.stringify(template)}`);
    }
    this.#isOpen = star >= 0;
    this.#parts = (this.#isOpen ? written.slice(0, -1) : written).map((part) =>
      part.startsWith(':') ? undefined : partsOf(part)[0],
    );
  }

  matches(url: string): boolean {
    const readings = readingsOf(pathOf(url));
    return readings === undefined || readings.some((parts) => this.#fits(parts));
  }

  #fits(parts: readonly string[]): boolean {
    const most = this.#isOpen ? parts.length : this.#parts.length;
    if (parts.length < this.#parts.length || parts.length > most) return false;
    return this.#parts.every((part, i) => part === undefined || part === parts[i]);
  }
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
