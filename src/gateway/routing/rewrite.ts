import { PathTemplate } from './path-template.js';
import type { RequestPath } from './request-path.js';

/**
 * The path that a backend is asked for instead: `/v2/people/:id`, `/files/*`. What is filled in are whole parts of a path
 * that was read (no slash, no step up): the answer begins as the template does, whatever was asked.
 */
export class Rewrite {
  /** Text, or the number of the part that is filled in. */
  readonly #pieces: readonly (string | number)[];
  /** From which part on the rest is added; undefined when it is not. */
  readonly #restFrom: number | undefined;

  constructor(text: string, path: PathTemplate) {
    const template = new PathTemplate(text);
    if (template.isOpen && !path.isOpen) {
      throw new RangeError(`must have no *, since path has none, got ${JSON.stringify(text)}`);
    }
    this.#pieces = template.written.map((part) => (part.startsWith(':') ? holeOf(part, path) : part));
    this.#restFrom = template.isOpen ? path.parts.length : undefined;
  }

  apply({ raw, endsWithSlash }: RequestPath): string {
    let path = '';
    for (const piece of this.#pieces) path += `/${typeof piece === 'number' ? raw[piece] : piece}`;
    if (this.#restFrom !== undefined) {
      for (let i = this.#restFrom; i < raw.length; i++) path += `/${raw[i]}`;
      if (endsWithSlash && raw.length > this.#restFrom) path += '/';
    }
    return path === '' ? '/' : path;
  }
}

function holeOf(part: string, path: PathTemplate): number {
  const at = path.holes.get(part.slice(1));
  if (at !== undefined) return at;
  const known = [...path.holes.keys()].map((name) => `:${name}`).join(', ');
  const hint = known === '' ? 'which has none' : `which has ${known}`;
  throw new RangeError(`must have holes of path only, ${hint}, got ${part}`);
}
