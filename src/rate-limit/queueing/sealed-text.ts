import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
/** What GCM is made for (NIST SP 800-38D, 5.2.1.1), and the longest tag. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A key for AES-256. */
export function sealingKey(field: string, bytes: unknown): KeyObject {
  if (bytes instanceof Uint8Array && bytes.byteLength === 32) return createSecretKey(bytes);
  const got = bytes instanceof Uint8Array ? `${bytes.byteLength} bytes` : typeof bytes;
  throw new RangeError(`${field} must be 32 bytes, got ${got}`);
}

/** Encrypted for one place only: moved to another (`place` is its name), it cannot be opened. */
export function seal(key: KeyObject, place: string, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Throws when it was sealed with another key, for another place, or has been changed. */
export function unseal(key: KeyObject, place: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(place)).setAuthTag(tag);
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return text.toString('utf8');
}
