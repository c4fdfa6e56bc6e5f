import { readPath } from './request-path.js';

/** More parts than any path has that somebody has to write. */
const MOST_PARTS = 32;

/** A path with holes: `/users/:id`, `/static/*` (which is `/static` too) or a plain one. Case does not matter. */
export class PathTemplate {
  readonly text: string;
  /** What a part must be, as paths are compared; undefined for any. */
  readonly parts: readonly (string | undefined)[];
  /** The same as they were written, with the names of holes. */
  readonly written: readonly string[];
  /** Where each hole is, by its name. */
  readonly holes: ReadonlyMap<string, number>;
  /** Whether anything may follow. */
  readonly isOpen: boolean;

  constructor(text: string) {
    this.text = text;
    if (!text.startsWith('/')) throw problem('must begin with /', text);
    if (/[?#]/.test(text)) throw problem('must have no query', text);
    const written = text.slice(1).replace(/\/$/, '').split('/');
    if (written.length === 1 && written[0] === '') written.pop();
    this.isOpen = written.at(-1) === '*';
    if (this.isOpen) written.pop();
    if (written.length > MOST_PARTS) throw problem(`must have ${MOST_PARTS} parts at most`, text);
    this.written = written;
    this.holes = holesOf(written, text);
    this.parts = written.map((part) => (part.startsWith(':') ? undefined : plainPart(part, text)));
  }

  /** Parts of a path as they are compared. */
  fits(parts: readonly string[]): boolean {
    if (parts.length < this.parts.length || (!this.isOpen && parts.length > this.parts.length)) return false;
    return this.parts.every((part, i) => part === undefined || part === parts[i]);
  }

  /** Whether each path that fits the other one fits this, too. */
  covers({ parts, isOpen }: PathTemplate): boolean {
    if (parts.length < this.parts.length) return false;
    if (!this.isOpen && (isOpen || parts.length > this.parts.length)) return false;
    return this.parts.every((part, i) => part === undefined || part === parts[i]);
  }
}

function holesOf(written: readonly string[], text: string): Map<string, number> {
  const holes = new Map<string, number>();
  for (const [at, part] of written.entries()) {
    if (!part.startsWith(':')) continue;
    const name = part.slice(1);
    if (!/^[A-Za-z_]\w{0,63}$/.test(name)) throw problem('must have names like :id', text);
    if (holes.has(name)) throw problem(`must have :${name} once`, text);
    holes.set(name, at);
  }
  return holes;
}

function plainPart(part: string, text: string): string {
  if (part === '') throw problem('must have single slashes', text);
  if (part.includes('*')) throw problem('must have * as its last part, by itself', text);
  // What OpenAPI and most frameworks write for a hole would be a plain part here, which nobody ever asks for.
  if (/\{.*\}/.test(part)) throw problem('must have holes like :id, and braces that are meant as %7B', text);
  const read = readPath(`/${part}`);
  if (read === undefined || read.parts.length !== 1 || read.others.length > 0) {
    throw problem('must be a path that is read in one way', text);
  }
  return read.parts[0]!;
}

function problem(rule: string, text: string): RangeError {
  return new RangeError(`${rule}, got ${JSON.stringify(text)}`);
}
