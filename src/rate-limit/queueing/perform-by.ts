import type { Dispatcher } from 'undici';
import { checkPositive, withDefaults } from '../../core/check.js';
import { shownUrl } from '../rules/shown-url.js';
import type { Perform } from './overflow-options.js';
import type { QueuedRequest } from './queued-request.js';
import { sendQueued } from './send-queued.js';

/** How a request that was kept is sent. */
export interface PerformByOptions {
  /** Until the answer's headers, and between two parts of its body. */
  readonly timeoutMs?: number | undefined;
  /** Whether an answer of this status is a failed attempt, and tried again. */
  readonly isFailure?: ((status: number) => boolean) | undefined;
  /** By which it is sent: that of a balancing client, for one. Undici's own by default. */
  readonly dispatcher?: Dispatcher | undefined;
}

export const PERFORM_BY_DEFAULTS = Object.freeze({
  // Nobody holds a connection open for it; still it holds one of few places.
  timeoutMs: 10_000,
  // Not now, or not for a reason that the request has given.
  isFailure: (status: number): boolean => status === 429 || status >= 500,
  // Undici's own, with its connections kept.
  dispatcher: undefined,
});

/** Performs requests by sending them to a server: one whose limits they do not meet again. */
export function performBy(baseUrl: string | URL, options: PerformByOptions = {}): Perform {
  const given = withDefaults('performBy', PERFORM_BY_DEFAULTS as Required<PerformByOptions>, options);
  const silenceMs = checkPositive('timeoutMs', given.timeoutMs);
  const isFailure = given.isFailure ?? PERFORM_BY_DEFAULTS.isFailure;
  const base = baseOf(baseUrl);
  return async (queued, limits) => {
    const { origin, pathname, search } = urlOf(base, queued);
    const sending = { origin, path: pathname + search, headers: headersOf(queued), silenceMs, isFailure };
    return await sendQueued(queued, { ...sending, dispatcher: given.dispatcher }, limits);
  };
}

function baseOf(baseUrl: string | URL): string {
  const url = URL.canParse(String(baseUrl)) ? new URL(String(baseUrl)) : undefined;
  const isPlain = url?.search === '' && url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/$/, '');
  throw new RangeError(`baseUrl must be a URL of http or https without a query, got ${shownUrl(baseUrl)}`);
}

/** Below the base, whatever the request says: `http://elsewhere/` is no path, and `/..` leads out of it. */
function urlOf(base: string, { url }: QueuedRequest): URL {
  const target = url.startsWith('/') ? new URL(`${base}${url}`) : undefined;
  if (target?.href.startsWith(`${base}/`) === true) return target;
  throw new Error(`its path leads elsewhere: ${JSON.stringify(url.slice(0, 100))}`);
}

/** The host is the server's own. HTTP/2 sends cookies one by one, where others want one header (RFC 9113, 8.2.3). */
function headersOf({ headers }: QueuedRequest): string[] {
  const sent: string[] = [];
  const cookies: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i]!, headers[i + 1]!];
    if (name === 'host' || name.startsWith(':')) continue;
    if (name === 'cookie') cookies.push(value);
    else sent.push(name, value);
  }
  if (cookies.length > 0) sent.push('cookie', cookies.join('; '));
  return sent;
}
