/** Which characters may stand in a header. By tables: expressions take three times as long for words this short. */

/** 1 for each code that may stand in a name. */
export const NAME_CHARS = table((code) => /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(code)));
/** The same for values: anything else could begin a line of its own, or end somebody's text. */
export const VALUE_CHARS = table((code) => code === 0x09 || (code >= 0x20 && code !== 0x7f));

function table(isAllowed: (code: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => (isAllowed(code) ? 1 : 0));
}

function isMadeOf(text: string, allowed: Uint8Array): boolean {
  // What is beyond the table is undefined, and not 1.
  for (let i = 0; i < text.length; i++) if (allowed[text.charCodeAt(i)] !== 1) return false;
  return true;
}

/** A token (RFC 9110, 5.6.2). */
export function isHeaderName(name: string): boolean {
  return name !== '' && isMadeOf(name, NAME_CHARS);
}

/** One line of bytes. */
export function isHeaderValue(value: string): boolean {
  return isMadeOf(value, VALUE_CHARS);
}
