import { isNamed } from '../../wire/text.js';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:\/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?$/;
/** HTTP itself: whoever speaks it to a backend through us, unread, asks for whatever it likes. */
const HTTP = /^(?:h2c?|h3|https?|tls)(?:\/|$)/i;

/** What is read of a request, as Node has it. */
export interface AskingForMore {
  readonly rawHeaders: readonly string[];
  readonly httpVersionMinor: number;
}

/** The protocol that a request asks to go on with; undefined: none, several, or none that we would not have to read. */
export function upgradeProtocol({ rawHeaders, httpVersionMinor }: AskingForMore): string | undefined {
  // RFC 9110, 7.8: what HTTP/1.0 says of it must be ignored.
  if (httpVersionMinor === 0) return undefined;
  let found: string | undefined;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (!isNamed(rawHeaders[i]!, 'upgrade')) continue;
    if (found !== undefined) return undefined;
    found = rawHeaders[i + 1]!;
  }
  if (found === undefined || !TOKEN.test(found)) return undefined;
  return HTTP.test(found) ? undefined : found;
}
