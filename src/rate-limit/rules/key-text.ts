import { hash } from 'node:crypto';

/** Longer ones are hashed: who may send 8 kB of API key must not decide how much memory a key takes. */
const MOST_CHARACTERS = 128;

/** 128 bits of SHA-256: nobody finds two texts of one digest (2^64 tries), and it is as short as a name. */
const DIGEST_BYTES = 16;

/** What stands for a text that is nobody else's business: 22 letters of base64url. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'buffer').toString('base64url', 0, DIGEST_BYTES);
}

/** The text itself, or what stands for a long one. */
export function shortened(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `#${digestOf(text)}`;
}
