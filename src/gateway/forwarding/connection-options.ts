import { isNamed } from '../../wire/text.js';

/** More than anybody has to name. */
const MOST_OPTIONS = 32;

const NONE: readonly string[] = Object.freeze([]);

/**
 * The headers that a `Connection` header declares to be meant for this hop alone, in lower case (RFC 9110, 7.6.1).
 * Undefined when there are more than a sender in good faith has.
 */
export function connectionOptions(value: string): readonly string[] | undefined {
  // What nearly all of them say, and no header is called so but one that is dropped anyway.
  if (value === '' || isNamed(value, 'keep-alive') || isNamed(value, 'close')) return NONE;
  const options = value.split(',', MOST_OPTIONS + 1);
  if (options.length > MOST_OPTIONS) return undefined;
  return options.map((option) => option.trim().toLowerCase()).filter((option) => option !== '');
}
