/** How every HTTP/2 connection begins that was not agreed on before (RFC 9113, 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/**
 * What the first bytes of a connection are the beginning of. No method of HTTP/1.1 is called PRI, so the first line
 * settles it; undefined: too few to tell.
 */
export function protocolOf(first: Uint8Array): 'http2' | 'http1' | undefined {
  const length = Math.min(first.length, LINE);
  for (let i = 0; i < length; i++) if (first[i] !== PREFACE[i]) return 'http1';
  return length < LINE ? undefined : 'http2';
}

/** `PRI * HTTP/2.0` and the end of its line. */
const LINE = 16;
