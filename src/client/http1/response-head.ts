import { isHeaderName, isHeaderValue } from '../../wire/header-chars.js';
import { isNamed, parseDigits } from '../../wire/text.js';
import { badAnswer } from './bad-answer.js';

/** Of 16 digits are the largest numbers that are exact. */
const LENGTH_DIGITS = 15;
/** Of a number of seconds. */
const SECONDS_DIGITS = 9;
const BEGINNING = 'HTTP/1.';
const LINE_END = '\r\n';

const SPACE = 0x20;
const TAB = 0x09;

/** What an answer begins with. Whatever is not exactly as RFC 9112 has it is refused: somebody else may read it otherwise. */
export class ResponseHead {
  status = 0;
  reason = '';
  /** Names and values in turn, as they came. */
  readonly headers: string[] = [];
  contentLength: number | undefined = undefined;
  isChunked = false;
  /** Another request may follow on its connection. */
  isKept = false;
  /** For how long the server keeps the connection, if it says so. */
  keptMs: number | undefined = undefined;
  #saysClose = false;
  #saysKeepAlive = false;

  /** `text`: all of it, each line with its end, without the empty one. Throws when it is none. */
  constructor(text: string) {
    const { headers } = this;
    let at = text.indexOf(LINE_END);
    const isOld = this.#readStatusLine(text, at);
    for (at += 2; at < text.length; ) {
      const stop = text.indexOf(LINE_END, at);
      const value = readField(text, at, stop, headers);
      this.#note(headers[headers.length - 2]!, value);
      at = stop + 2;
    }
    this.#checkFraming(isOld);
  }

  /** How long the body is that follows it, or how its end is told (RFC 9112, 6.3). `isHead`: it answers a HEAD. */
  bodyAfter(isHead: boolean): number | 'chunks' | 'all' {
    if (isHead || this.status === 204 || this.status === 304) return 0;
    return this.isChunked ? 'chunks' : (this.contentLength ?? 'all');
  }

  /** True: HTTP/1.0. */
  #readStatusLine(text: string, stop: number): boolean {
    const minor = text.charCodeAt(BEGINNING.length) - 0x30;
    if (!text.startsWith(BEGINNING) || (minor !== 0 && minor !== 1) || text.charCodeAt(8) !== SPACE)
      throw badAnswer('no version that is known', 'INVALID_VERSION');
    this.status = parseDigits(text.slice(9, 12), 3);
    const isWhole = stop === 12 || (stop > 12 && text.charCodeAt(12) === SPACE);
    if (this.status < 100 || !isWhole) throw badAnswer('a status that is none', 'INVALID_STATUS');
    this.reason = text.slice(13, stop);
    if (!isHeaderValue(this.reason)) throw badAnswer('a status that is none', 'INVALID_STATUS');
    return minor === 0;
  }

  /** What says where the answer ends, and what becomes of its connection. */
  #note(name: string, value: string): void {
    switch (name.length) {
      case 10:
        if (isNamed(name, 'connection')) this.#noteConnection(value);
        else if (isNamed(name, 'keep-alive')) this.keptMs = keptMsOf(value);
        return;
      case 14:
        if (isNamed(name, 'content-length')) this.#noteLength(value);
        return;
      case 17:
        if (isNamed(name, 'transfer-encoding')) this.#noteCoding(value);
        return;
    }
  }

  #noteConnection(value: string): void {
    // Alone, as nearly always.
    if (isNamed(value, 'keep-alive')) this.#saysKeepAlive = true;
    else
      for (const option of value.split(',')) {
        const word = option.trim();
        if (isNamed(word, 'close')) this.#saysClose = true;
        else if (isNamed(word, 'keep-alive')) this.#saysKeepAlive = true;
      }
  }

  #noteLength(value: string): void {
    // RFC 9112, 6.3: two lengths are two answers to somebody.
    if (this.contentLength !== undefined) throw badAnswer('two lengths', 'UNEXPECTED_CONTENT_LENGTH');
    this.contentLength = parseDigits(value, LENGTH_DIGITS);
    if (this.contentLength < 0) throw badAnswer('a length that is none', 'INVALID_CONTENT_LENGTH');
  }

  #noteCoding(value: string): void {
    // We ask for no other, and know of none.
    if (this.isChunked || !isNamed(value, 'chunked'))
      throw badAnswer('a transfer coding that is not known', 'INVALID_TRANSFER_ENCODING');
    this.isChunked = true;
  }

  #checkFraming(isOld: boolean): void {
    if (this.isChunked && this.contentLength !== undefined)
      throw badAnswer('a length and chunks', 'INVALID_TRANSFER_ENCODING');
    // RFC 9112, 6.1: chunks in HTTP/1.0 are read, and nothing after them is believed.
    this.isKept = !this.#saysClose && (!isOld || (this.#saysKeepAlive && !this.isChunked));
  }
}

/** Reads a line of a head, or of what follows a body, and adds its name and value. Returns the latter. */
export function readField(text: string, at: number, stop: number, fields: string[]): string {
  const colon = text.indexOf(':', at);
  // A line that begins with a blank would go on the one before (RFC 9112, 5.2): no token begins so.
  const name = colon < 0 || colon > stop ? '' : text.slice(at, colon);
  let from = colon + 1;
  let to = stop;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  const value = text.slice(from, to);
  if (!isHeaderName(name) || !isHeaderValue(value))
    throw badAnswer('a header that is none', 'INVALID_HEADER_TOKEN');
  fields.push(name, value);
  return value;
}

/** Whether the beginning of a head can still become one; else there is no sense in waiting for the rest. */
export function isBeginning(text: string): boolean {
  const { length } = BEGINNING;
  if (text.slice(0, length) !== BEGINNING.slice(0, Math.min(length, text.length))) return false;
  // Lines that end otherwise never end for us.
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
    if (text.charCodeAt(at - 1) !== 0x0d) return false;
  return true;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function keptMsOf(value: string): number | undefined {
  const [, digits] = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(value) ?? [];
  const seconds = digits === undefined ? -1 : parseDigits(digits, SECONDS_DIGITS);
  return seconds < 0 ? undefined : seconds * 1_000;
}
