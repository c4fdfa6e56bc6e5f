import { type Document, Scalar, visit } from 'yaml';
import { describeValue } from './validation/describe-schema.js';
import type { Problem, Validated } from './validation/validate.js';
import type { Fault } from './validation/yaml-faults.js';
import type { Places } from './validation/yaml-places.js';

/** Like `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** From so many characters on a value is looked for in all that is said: shorter ones are in numbers and words by chance. */
const LEAST_SECRET = 6;

/**
 * Text with its variables filled in, as a shell does it: `${NAME}`, `${NAME:-otherwise}` for one that is not set or empty,
 * `$${` for the characters themselves. A list says what is wrong.
 */
export function expand(text: string, variables: Variables): string | string[] {
  const faults: string[] = [];
  const expanded = text.replaceAll(/\$\$\{|\$\{([^}]*)(\}?)/g, (all, inside?: string, end?: string) => {
    if (inside === undefined) return '${';
    const [, name, otherwise] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(end === '' ? '' : inside) ?? [];
    if (name === undefined) {
      faults.push(`must be like \${NAME} or \${NAME:-otherwise}, or $\${ for the characters, got ${all}`);
      return all;
    }
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (otherwise !== undefined) return value === undefined || value === '' ? otherwise : value;
    if (value === undefined)
      faults.push(`the environment has no ${name}: set it, or write \${${name}:-otherwise}`);
    return value ?? all;
  });
  return faults.length > 0 ? faults : expanded;
}

interface Substitution {
  readonly node: Scalar;
  /** As it stands in the file. */
  readonly written: string;
  readonly text: string;
}

/** The variables of a document, filled in where values are text; keys stay as they are. */
export class Substitutions {
  readonly faults: Fault[] = [];
  readonly #places: Places;
  readonly #made: Substitution[] = [];

  constructor(document: Document, places: Places, variables: Variables | undefined) {
    this.#places = places;
    if (variables === undefined) return;
    visit(document, {
      Scalar: (key, node) => {
        if (key !== 'key' && typeof node.value === 'string') this.#fill(node, node.value, variables);
      },
    });
  }

  /**
   * What was filled in for a number may have been meant as text: a password of digits. Where the schema does not want the
   * number it is given the text.
   */
  retry<T>(first: Validated<T>, check: () => Validated<T>): Validated<T> {
    if ('value' in first) return first;
    const others = first.problems.map((problem) => this.#at(problem)).filter((made) => isOther(made));
    if (others.length === 0) return first;
    for (const { node, text } of others) node.value = text;
    const second = check();
    if ('value' in second || second.problems.length < first.problems.length) return second;
    for (const { node, text } of others) node.value = scalarOf(text);
    return first;
  }

  /** What is wrong, without what the environment says: that may be a secret, and this goes to logs. */
  conceal(problem: Problem): string {
    const here = this.#at(problem);
    return this.#made.reduce((said, { node, written, text }) => {
      const got = `got ${describeValue(node.value)}`;
      const isThis = here?.node === node || text.length >= LEAST_SECRET;
      if (isThis && said.endsWith(got)) return `${said.slice(0, -got.length)}got ${written}`;
      return text.length < LEAST_SECRET ? said : said.replaceAll(text, written);
    }, problem.text);
  }

  /** Whether what stands there is from the environment, in part or as a whole; undefined where nothing is. */
  get filledIn(): ((path: readonly PropertyKey[]) => boolean) | undefined {
    if (this.#made.length === 0) return undefined;
    return (path) => this.#at({ path }) !== undefined;
  }

  #fill(node: Scalar, written: string, variables: Variables): void {
    if (!written.includes('${')) return;
    const text = expand(written, variables);
    if (typeof text !== 'string') {
      for (const fault of text) this.faults.push({ offset: node.range![0], text: fault });
      return;
    }
    // `port: ${PORT}` is as if the number stood there; in quotes it is text, as in YAML.
    const isAlone = node.type === Scalar.PLAIN && /^\$\{[^}]*\}$/.test(written);
    node.value = isAlone ? scalarOf(text) : text;
    this.#made.push({ node, written, text });
  }

  #at({ path }: Pick<Problem, 'path'>): Substitution | undefined {
    if (this.#made.length === 0) return undefined;
    const node = this.#places.nodeAt(path);
    return this.#made.find((made) => made.node === node);
  }
}

function isOther(made: Substitution | undefined): made is Substitution {
  return made !== undefined && made.node.value !== made.text;
}

/** What YAML takes a bare word for. */
function scalarOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : text;
}
