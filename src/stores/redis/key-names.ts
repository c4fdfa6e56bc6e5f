import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/** Longer ones are hashed: whoever may choose a key does not choose how much is stored. */
const LONGEST = 128;

/** Keys of which a Cluster would hash all, or that look like what is made of others here. */
const UNUSUAL = /^[}%]|^$/;

/** Halves of letters that are sent as all others are (U+FFFD): they would share a name. */
const HALF_LETTERS = /\p{Surrogate}/u;

/**
 * The key in Redis: `prefix{key}:rule:numbers`. What is in braces decides where a Cluster has it, so that all rules of one
 * key are together. No two keys have the same name here, whatever is in them.
 */
export function keyName(prefix: string, key: string, suffix: string): string {
  return `${prefix}{${tagOf(key)}}${suffix}`;
}

function tagOf(key: string): string {
  if (HALF_LETTERS.test(key)) return `%~${digestOf(Buffer.from(key, 'utf16le'))}`;
  if (key.length > LONGEST) return `%#${digestOf(key)}`;
  return UNUSUAL.test(key) ? `%${key}` : key;
}

function digestOf(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('base64url');
}
