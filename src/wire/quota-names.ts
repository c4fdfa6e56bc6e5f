import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { decodeCustomer, encodeCustomer, UNMETERED } from './customer-name.js';

/** Far more customers than a backend tells apart. */
export const MOST_ROWS = 65_535;

/** Half of what SHA-256 has: who wants two lists with the same one has to try 2^64. */
export const DIGEST_BYTES = 16;

/** Of no customer; no name is ever written so. */
const NOBODY = '%';
/** Between backends and their coordinator it is a name like others. */
const WRITTEN_UNMETERED = encodeURIComponent(UNMETERED);

/**
 * Names in one text, with spaces between: a written name has none. The name '' is that of requests without a customer.
 * Whoever has a name that cannot travel is nobody.
 */
export function encodeNames(names: readonly (string | undefined)[]): Uint8Array {
  return Buffer.from(names.map(encodeName).join(' '), 'latin1');
}

/** Undefined when these cannot be so many names. */
export function decodeNames(bytes: Uint8Array, count: number): (string | undefined)[] | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (count === 0) return text === '' ? [] : undefined;
  const names: (string | undefined)[] = text.split(' ', count + 1);
  if (names.length !== count) return undefined;
  for (let row = 0; row < count; row++) {
    const name = names[row]!;
    if (name === '') continue;
    const customer = decodeName(name);
    if (customer === undefined && name !== NOBODY) return undefined;
    names[row] = customer;
  }
  return names;
}

/**
 * What names are known by when they are not sent again. Customers choose their names: by a weaker one, or by a number that
 * begins anew when Redis was emptied, one list could be taken for another.
 */
export function digestOfNames(written: Uint8Array): Buffer {
  return createHash('sha256').update(written).digest().subarray(0, DIGEST_BYTES);
}

export function canTravel(name: string): boolean {
  return encodeName(name) !== NOBODY;
}

function encodeName(name: string | undefined): string {
  if (name === undefined) return NOBODY;
  if (name === UNMETERED) return WRITTEN_UNMETERED;
  return name === '' ? '' : (encodeCustomer(name) ?? NOBODY);
}

function decodeName(text: string): string | undefined {
  if (text === NOBODY) return undefined;
  return text === WRITTEN_UNMETERED ? UNMETERED : decodeCustomer(text);
}
