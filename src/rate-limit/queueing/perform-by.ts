import { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { checkPositive, withDefaults } from '../../core/check.js';
import { shownUrl } from '../rules/shown-url.js';
import type { Perform } from './overflow-options.js';
import type { QueuedRequest } from './queued-request.js';

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

/**
 * Performs requests by sending them to a server: one whose limits they do not meet again. Since a request may be sent
 * more than once, it carries an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), unless it had one.
 */
export function performBy(baseUrl: string | URL, options: PerformByOptions = {}): Perform {
  const given = withDefaults('performBy', PERFORM_BY_DEFAULTS as Required<PerformByOptions>, options);
  const timeoutMs = checkPositive('timeoutMs', given.timeoutMs);
  const base = baseOf(baseUrl);
  return async (queued, { signal, maxResultBytes }) => {
    // Loaded by those only who perform so.
    const { request: send } = await import('undici');
    const answer = await send(urlOf(base, queued), {
      method: queued.method as Dispatcher.HttpMethod,
      headers: headersOf(queued),
      body: queued.body.byteLength > 0 ? queued.body : null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal,
      responseHeaders: 'raw',
      ...(given.dispatcher === undefined ? {} : { dispatcher: given.dispatcher }),
    });
    const status = answer.statusCode;
    const body = await readUpTo(answer.body, maxResultBytes);
    if (given.isFailure?.(status) === true) throw new Error(`it was answered with ${status}`);
    // Raw headers are a flat list, which the types do not know.
    const headers = (answer.headers as unknown as (string | Buffer)[]).map(String);
    return body === undefined ? { status, headers, isBodyOmitted: true } : { status, headers, body };
  };
}

function baseOf(baseUrl: string | URL): string {
  const url = URL.canParse(String(baseUrl)) ? new URL(String(baseUrl)) : undefined;
  const isPlain = url?.search === '' && url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/$/, '');
  throw new RangeError(`baseUrl must be a URL of http or https without a query, got ${shownUrl(baseUrl)}`);
}

/** Below the base, whatever the request says: `http://elsewhere/` is no path, and `/..` leads out of it. */
function urlOf(base: string, { url }: QueuedRequest): string {
  const target = `${base}${url}`;
  if (url.startsWith('/') && new URL(target).href.startsWith(`${base}/`)) return target;
  throw new Error(`its path leads elsewhere: ${JSON.stringify(url.slice(0, 100))}`);
}

/** The host is the server's own. HTTP/2 sends cookies one by one, where others want one header (RFC 9113, 8.2.3). */
function headersOf({ headers, id }: QueuedRequest): string[] {
  const sent: string[] = [];
  const cookies: string[] = [];
  let hasKey = false;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i]!, headers[i + 1]!];
    if (name === 'host' || name.startsWith(':')) continue;
    if (name === 'idempotency-key') hasKey = true;
    if (name === 'cookie') cookies.push(value);
    else sent.push(name, value);
  }
  if (cookies.length > 0) sent.push('cookie', cookies.join('; '));
  if (!hasKey) sent.push('idempotency-key', `"${id}"`);
  return sent;
}

/** Undefined when there is more; the rest is not read. */
async function readUpTo(body: Dispatcher.ResponseData['body'], most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
