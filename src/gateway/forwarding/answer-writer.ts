import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { RawHeaders } from '../../client/dispatch/raw-headers.js';
import { HeadWriter } from '../../wire/head-writer.js';
import { isHeaderValue } from '../../wire/header-chars.js';
import { isNamed } from '../../wire/text.js';
import { readTrailers } from './answer-head.js';
import { headText } from './head-text.js';

/** Node's own, as far as it is not in the types. */
interface NodeResponse {
  _hasBody: boolean;
  _expect_continue: boolean;
  _sent100: boolean;
  _storeHeader?: (firstLine: string, headers: readonly string[]) => void;
  _send?: (data: string, encoding: 'latin1') => boolean;
}

/** Up to this size a body is copied behind its head: one piece costs less to send than two. */
const MOST_COPIED_BYTES = 16_384;

const CHUNKED: readonly string[] = Object.freeze(['transfer-encoding', 'chunked']);
const BARE: readonly string[] = Object.freeze([]);
const NONE: readonly string[] = Object.freeze([]);

/** Whether an answer with this status has no body, whatever it says (RFC 9112, 6.3). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** How Node is told where an answer ends. `length` undefined: it shows. */
function framingOf(res: ServerResponse, status: number, length: number | undefined): readonly string[] {
  // RFC 9110, 8.6: no length with 204; and that of 304 is of what is not sent.
  if (isBodiless(status)) return BARE;
  if (length !== undefined) return ['content-length', String(length)];
  const isOld = res.req.httpVersionMajor === 1 && res.req.httpVersionMinor === 0;
  return res.req.method === 'HEAD' || isOld ? BARE : CHUNKED;
}

/**
 * Writes the head of an answer; it leaves with what is written next. As text, where this Node lets us: `writeHead` looks
 * at each header again, which takes 3 µs for ten of them. Headers must be checked, and have no framing among them; `own`
 * are ours.
 */
export function writeAnswerHead(
  res: ServerResponse,
  status: number,
  reason: string,
  headers: readonly string[],
  length: number | undefined,
  hasDate: boolean,
  own: readonly string[] = NONE,
): void {
  const node = res as unknown as NodeResponse;
  const framing = framingOf(res, status, length);
  if (hasDate) res.sendDate = false;
  const all = ownHeaders(res, own);
  // Somebody listens to heads, and would not hear of this one.
  if (typeof node._storeHeader !== 'function' || Object.hasOwn(res, 'writeHead')) {
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    const said: string[] = [];
    for (let i = 0; i < headers.length; i += 2)
      if (!hasName(all, headers[i]!)) said.push(headers[i]!, headers[i + 1]!);
    said.push(...all, ...framing);
    res.writeHead(status, phraseOf(status, reason), said as unknown as OutgoingHttpHeaders);
    return;
  }
  res.statusCode = status;
  res.statusMessage = phraseOf(status, reason);
  if (isBodiless(status)) node._hasBody = false;
  // The body may or may not come.
  if (node._expect_continue && !node._sent100) res.shouldKeepAlive = false;
  head.begin();
  head.put(statusLine(status, res.statusMessage));
  for (let i = 0; i < headers.length; i += 2)
    if (!hasName(all, headers[i]!)) head.putField(headers[i]!, headers[i + 1]!);
  for (let i = 0; i < all.length; i += 2) head.putField(all[i]!, all[i + 1]!);
  node._storeHeader(head.take(), framing);
}

/** One for all: a head is written in one go. */
const head = new HeadWriter();

/** That of most answers is there already. */
function statusLine(status: number, phrase: string): string {
  return status === 200 ? 'HTTP/1.1 200 OK\r\n' : `HTTP/1.1 ${status} ${phrase}\r\n`;
}

/** What is said of an answer here, such as limits: instead of what the backend says by that name. */
function ownHeaders(res: ServerResponse, given: readonly string[]): readonly string[] {
  const names = res.getHeaderNames();
  if (names.length === 0) return given;
  const own = [...given];
  for (const name of names) for (const value of [res.getHeader(name)!].flat()) own.push(name, String(value));
  return own;
}

function hasName(flat: readonly string[], name: string): boolean {
  for (let i = 0; i < flat.length; i += 2)
    if (flat[i]!.length === name.length && isNamed(name, flat[i]!.toLowerCase())) return true;
  return false;
}

/** Ends an answer whose head was written just now, in one piece if it is short. */
export function endAnswer(res: ServerResponse, body: Buffer | undefined): void {
  const node = res as unknown as NodeResponse;
  if (body === undefined) res.end();
  else if (
    body.length > MOST_COPIED_BYTES ||
    typeof node._send !== 'function' ||
    res.chunkedEncoding ||
    !node._hasBody ||
    Object.hasOwn(res, 'writeHead')
  )
    res.end(body);
  else {
    node._send(headText(body), 'latin1');
    res.end();
  }
}

/** Words for people: those that belong to the status, or the backend's own if they are harmless. */
function phraseOf(status: number, reason: string): string {
  return STATUS_CODES[status] ?? (isHeaderValue(reason) ? reason : '');
}

/** What comes after a body. */
export function addTrailers(res: ServerResponse, raw: RawHeaders): void {
  const trailers = readTrailers(raw);
  const pairs: [string, string][] = [];
  for (let i = 0; i < trailers.length; i += 2) pairs.push([trailers[i]!, trailers[i + 1]!]);
  // Without chunks there is no place for them.
  if (res.chunkedEncoding) res.addTrailers(pairs);
}
