import { createHash } from 'node:crypto';

/** Longer ones are hashed: whoever may choose a key does not choose how much is stored. */
const LONGEST = 128;

/** Keys of which a Cluster would hash all, or that look like what is made of others here. */
const UNUSUAL = /^[}%]|^$/;

/**
 * The key in Redis: `prefix{key}:rule:numbers`. What is in braces decides where a Cluster has it, so that all rules of one
 * key are together. No two keys have the same name here, whatever is in them.
 */
export function keyName(prefix: string, key: string, suffix: string): string {
  return `${prefix}{${tagOf(key)}}${suffix}`;
}

function tagOf(key: string): string {
  if (key.length > LONGEST) return `%#${createHash('sha256').update(key).digest('base64url')}`;
  return UNUSUAL.test(key) ? `%${key}` : key;
}
