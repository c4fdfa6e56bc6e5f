import { createHash } from 'node:crypto';
import { isWithin } from './text.js';

/** Names in bills and API keys are far shorter; and each customer is a key in tables that are bounded by number only. */
const MOST_CHARACTERS = 128;

/** What a name that travels must be; after `must have`. */
export const CUSTOMER_WORDS =
  '1 to 128 characters (those that are not ASCII count percent-encoded), none that is not visible, and not be (no quota)';

/**
 * Who is counted for what no quota is to pay: somebody without a bound. A name among ourselves, and of no customer: nobody
 * who says it is believed, and it is told to nobody.
 */
export const UNMETERED = '(no quota)';

/** Of a name that cannot travel so much is looked at. */
const MOST_HASHED = 4_096;

/**
 * A customer's name as it travels between our own hops: visible ASCII as it is, anything else percent-encoded.
 * Undefined for a name that is empty, no text, ours or, so written, too long.
 */
export function encodeCustomer(customer: string): string | undefined {
  if (customer.length === 0 || customer.length > MOST_CHARACTERS) return undefined;
  if (isWithin(customer, 0x21, 0x7e) && !customer.includes('%')) return customer;
  const isNone = customer === UNMETERED || hasControlCharacter(customer);
  const encoded = isNone ? undefined : attempt(encodeURIComponent, customer);
  return encoded === undefined || encoded.length > MOST_CHARACTERS ? undefined : encoded;
}

/** The name again; undefined for what `encodeCustomer` cannot have written, and for one that would break a log line. */
export function decodeCustomer(text: string): string | undefined {
  if (text.length === 0 || text.length > MOST_CHARACTERS || !isWithin(text, 0x21, 0x7e)) return undefined;
  if (!text.includes('%')) return text;
  const customer = attempt(decodeURIComponent, text);
  if (customer === undefined || customer === UNMETERED) return undefined;
  return hasControlCharacter(customer) ? undefined : customer;
}

/**
 * The name by which a customer is known on all backends: its own if that can travel, else one made of it, always the
 * same. Under a name that stays at home everybody would have a whole quota at each backend.
 */
export function knownName(customer: string): string {
  if (encodeCustomer(customer) !== undefined || customer === UNMETERED) return customer;
  const hash = createHash('sha256').update(customer.slice(0, MOST_HASHED)).digest('hex');
  return `sha256:${hash.slice(0, 32)}`;
}

/** Limits of a customer who is never called so would not hold for anybody. */
export function checkCustomers(customers: readonly { readonly customer: string }[] = []): void {
  for (const { customer } of customers) {
    if (typeof customer === 'string' && knownName(customer) === customer) continue;
    throw new RangeError(
      `the name of a customer must have ${CUSTOMER_WORDS}, got ${JSON.stringify(customer)}`,
    );
  }
}

/** Both throw on what is not Unicode. */
function attempt(translate: (text: string) => string, text: string): string | undefined {
  try {
    return translate(text);
  } catch {
    return undefined;
  }
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // C0, DEL and C1.
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}
