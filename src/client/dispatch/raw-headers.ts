/** As undici has it: bytes, or several for one name. Or text, of characters that are a byte each. */
export type RawHeader = string | Buffer | readonly Buffer[];

/** Headers as they came: names and values in turn. */
export type RawHeaders = readonly RawHeader[];

/** For whoever expects bytes. */
export function toByteHeaders(headers: RawHeaders): RawHeaders {
  if (typeof headers[0] !== 'string') return headers;
  return headers.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part));
}

/** Of a name, or the first of its values. */
export function headerText(part: RawHeader | undefined): string | undefined {
  if (typeof part === 'string' || part === undefined) return part;
  return (Buffer.isBuffer(part) ? part : part[0])?.toString('latin1');
}
