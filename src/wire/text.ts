/** Looking at text from outside, a bounded part of it, without making any more text. */

/** Whether `name` is `lower` (in lower case), in whatever case it was sent. */
export function isNamed(name: string, lower: string): boolean {
  // As our own clients send it: compared by words of memory, not by letters.
  if (name === lower) return true;
  if (name.length !== lower.length) return false;
  for (let i = 0; i < lower.length; i++) {
    const code = name.charCodeAt(i);
    // Capitals only: a header name is ASCII, and the sign for Kelvin is no k.
    if ((code >= 0x41 && code <= 0x5a ? code | 0x20 : code) !== lower.charCodeAt(i)) return false;
  }
  return true;
}

/** A whole number of at most `maxDigits` digits and nothing else; -1 for anything else. */
export function parseDigits(text: string, maxDigits: number): number {
  if (text.length === 0 || text.length > maxDigits) return -1;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Whether all of it lies within the two character codes. */
export function isWithin(text: string, least: number, most: number): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < least || code > most) return false;
  }
  return true;
}
