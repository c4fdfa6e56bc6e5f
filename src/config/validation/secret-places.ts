import * as z from 'zod';

type Schema = z.core.$ZodType;
type Path = readonly PropertyKey[];

/** Where a file has what lets somebody in. Paths are like `routes.*.headers`, `*` for any step, and '' for the whole file. */
export interface SecretPlaces {
  /** What stands there is not repeated when it is wrong, nor a name beneath that is none. */
  readonly values: readonly string[];
  /** Mappings whose names are not repeated either, nor anything beneath them. */
  readonly names: readonly string[];
}

export const HIDDEN = '***';

const PLACES = z.registry<SecretPlaces>();

/** The schema of a file, which is told of without what stands at these places. */
export function withSecrets<T extends Schema>(places: SecretPlaces, schema: T): T {
  PLACES.add(schema, places);
  return schema;
}

/** What is wrong, and where. */
interface Told {
  readonly path: Path;
  readonly text: string;
}

/**
 * What is wrong with a file, without what may be a secret in it: this goes to terminals, logs and readers of events. A key
 * where its hash should be, or a token without the name of its field, are the mistakes that people make.
 */
export function hideSecrets({ path, text }: Told, schema: Schema): Told {
  const { values, names } = PLACES.get(schema) ?? { values: [], names: [] };
  const isSecret = (at: Path) => values.some((pattern) => isAt(at, stepsOf(pattern)));
  const above = path.slice(0, -1);
  const found = names.map(stepsOf).find((steps) => begins(path, steps));
  const named = found?.length ?? (STRAY.test(text) && isSecret(above) ? above.length : path.length);
  if (named < path.length) return { path: [...path.slice(0, named), HIDDEN], text: withoutValue(text) };
  return { path, text: withoutLogins(found || isSecret(path) ? withoutValue(text) : text) };
}

/** A name that is like none that is known, where a secret should be, may be that: `{ hunter2 }` is a mapping. */
const STRAY = /^is not known(?!, did you mean)/;

function stepsOf(pattern: string): string[] {
  return pattern === '' ? [] : pattern.split('.');
}

function begins(path: Path, steps: readonly string[]): boolean {
  return path.length >= steps.length && steps.every((step, at) => step === '*' || step === path[at]);
}

function isAt(path: Path, steps: readonly string[]): boolean {
  return path.length === steps.length && begins(path, steps);
}

/** A text or a number; what kind of thing it is may be said. */
function withoutValue(text: string): string {
  return text.replace(/, got ["\d.+-].*$/s, '');
}

/** Name and password in a URL, wherever it stands. */
function withoutLogins(text: string): string {
  return text.replaceAll(/:\/\/[^/\s"]*@/g, `://${HIDDEN}@`);
}
