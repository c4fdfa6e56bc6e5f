import { createHash } from 'node:crypto';

/** Longer than values are that people choose. Stores bound keys by number: without this each may have 64 KB. */
const MOST_CHARACTERS = 256;

/** Lengths keep apart what values of clients could be made to look like: nobody spends the limit of somebody else. */
export function keyPart(key: string, value: string): string {
  return `|${key.length},${value.length}:${key}=${value}`;
}

export function keyPrefix(domain: string): string {
  return `${domain.length}:${domain}`;
}

/** The key itself, or one made of all of it when it is long. No key begins like that: the others begin with a number. */
export function boundedKey(key: string): string {
  if (key.length <= MOST_CHARACTERS) return key;
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}
