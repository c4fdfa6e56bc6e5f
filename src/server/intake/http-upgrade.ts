import { isNamed } from '../../wire/text.js';

/**
 * Whether a request that wants to go on in another protocol wants HTTP/2 (`Upgrade: h2c`), which nobody offers in this way any
 * more (RFC 9113, 3.1). Java's own client asks so with each request that is not encrypted, bodies included: it is a
 * request like any other, while Node would hand its connection over with the body unread.
 */
export function asksForHttp2(headers: readonly string[]): boolean {
  let isFound = false;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (!isNamed(headers[i]!, 'upgrade')) continue;
    if (headers[i + 1]!.toLowerCase() !== 'h2c') return false;
    isFound = true;
  }
  return isFound;
}
