/**
 * Checks of options and arguments. An impossible value is refused with its field and value, never mended silently:
 * a limit of -5 that quietly becomes 0 is found in an outage.
 */

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}

function refuse(field: string, rule: string, value: unknown): never {
  throw new RangeError(`${field} must be ${rule}, got ${describe(value)}`);
}

/** A whole number within [least, most]. */
export function checkInteger(
  field: string,
  value: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `>= ${least}` : `from ${least} to ${most}`;
  return refuse(field, `an integer ${range}`, value);
}

/** A finite number > 0. */
export function checkPositive(field: string, value: unknown): number {
  if (typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY) return value;
  return refuse(field, 'a finite number > 0', value);
}

/** A finite number >= 0. */
export function checkNonNegative(field: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY) return value;
  return refuse(field, 'a finite number >= 0', value);
}

/** A number within [least, most], both ends included. */
export function checkWithin(field: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  return refuse(field, `from ${least} to ${most}`, value);
}

/** One of a few words. */
export function checkOneOf<T extends string>(field: string, value: unknown, words: readonly T[]): T {
  if (words.includes(value as T)) return value as T;
  return refuse(field, `one of ${words.join(', ')}`, value);
}

/** Names, none of them twice: a backend listed twice would get twice its share, in silence. */
export function checkDistinct(field: string, names: Iterable<string>): Set<string> {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new RangeError(`${field} must be distinct, got ${describe(name)} twice`);
    seen.add(name);
  }
  return seen;
}

/**
 * Options over their defaults. A name that no default has is refused (a misspelt option is otherwise obeyed by nobody
 * and noticed by nobody), and one given as undefined counts as not given.
 */
export function withDefaults<T extends object>(part: string, defaults: T, given: Partial<T> | undefined): T {
  if (given !== undefined && (typeof given !== 'object' || given === null)) {
    throw new RangeError(`${part} must be an object of options, got ${describe(given)}`);
  }
  const options = { ...defaults };
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!Object.hasOwn(defaults, name)) {
      throw new RangeError(
        `${part} has no option ${describe(name)}; it has ${Object.keys(defaults).join(', ')}`,
      );
    }
    if (value !== undefined) options[name as keyof T] = value as T[keyof T];
  }
  return options;
}
