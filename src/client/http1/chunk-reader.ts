import { maxHeaderSize } from 'node:http';
import { errors } from 'undici';
import { isNamed } from '../../wire/text.js';
import { badAnswer } from './bad-answer.js';
import { readField } from './response-head.js';

/** What follows the size of a chunk is ignored (RFC 9112, 7.1.1), but not read for ever. */
const MOST_EXTENSION_BYTES = 4_096;
/** Of 14 hexadecimal digits are the largest numbers that are exact, nearly. */
const MOST_SIZE_DIGITS = 12;

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

type State = 'size' | 'extension' | 'size-end' | 'data' | 'data-cr' | 'data-lf' | 'trailers' | 'done';

/** A body in chunks, as it comes, in whatever pieces. */
export class ChunkReader {
  #state: State = 'size';
  #left = 0;
  #digits = 0;
  #extensionBytes = 0;
  /** What there is of the fields after the last chunk. */
  #text = '';
  /** Fields that came after the body, names and values in turn. */
  readonly trailers: string[] = [];
  /** Where data is in the bytes that were read last; none if both are the same. */
  dataStart = 0;
  dataEnd = 0;

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Reads up to the end of the next data, or of all. Where to go on. Throws when it is none. */
  read(bytes: Buffer, start: number, end: number): number {
    this.dataStart = start;
    this.dataEnd = start;
    for (let at = start; at < end; ) {
      if (this.#state === 'data') return this.#readData(at, end);
      if (this.#state === 'trailers') return this.#readTrailers(bytes, at, end);
      this.#step(bytes[at++]!);
    }
    return end;
  }

  #readData(at: number, end: number): number {
    this.dataStart = at;
    this.dataEnd = Math.min(end, at + this.#left);
    this.#left -= this.dataEnd - at;
    if (this.#left === 0) this.#state = 'data-cr';
    return this.dataEnd;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case 'size':
        this.#readSize(byte);
        return;
      case 'extension':
        // Part of no line but this.
        if (byte === CR) this.#state = 'size-end';
        else if (byte === LF || byte === 0 || ++this.#extensionBytes > MOST_EXTENSION_BYTES) throw badSize();
        return;
      case 'size-end':
        if (byte !== LF) throw badSize();
        this.#state = this.#left === 0 ? 'trailers' : 'data';
        return;
      case 'data-cr':
        if (byte !== CR) throw badAnswer('a chunk that goes on', 'STRICT');
        this.#state = 'data-lf';
        return;
      default:
        if (byte !== LF) throw badAnswer('a chunk that goes on', 'STRICT');
        this.#state = 'size';
        this.#digits = 0;
        this.#extensionBytes = 0;
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      if (++this.#digits > MOST_SIZE_DIGITS) throw badSize();
      this.#left = this.#left * 16 + digit;
    } else if (this.#digits === 0) throw badSize();
    else if (byte === CR) this.#state = 'size-end';
    else if (byte === SEMICOLON) this.#state = 'extension';
    else throw badSize();
  }

  #readTrailers(bytes: Buffer, at: number, end: number): number {
    const before = this.#text.length;
    this.#text += bytes.toString('latin1', at, Math.min(end, at + maxHeaderSize));
    const isNone = this.#text.startsWith('\r\n');
    const found = isNone ? 0 : this.#text.indexOf('\r\n\r\n', Math.max(0, before - 3));
    // Also when its end has come: how long it may be does not depend on the pieces that it comes in.
    if ((found < 0 ? this.#text.length : found + 3) >= maxHeaderSize) throw new errors.HeadersOverflowError();
    if (found < 0) {
      // Lines that end otherwise never end for us.
      if (/(?:^|[^\r])\n/.test(this.#text)) throw badAnswer('a header that is none', 'INVALID_HEADER_TOKEN');
      return end;
    }
    if (!isNone) this.#readFields(this.#text.slice(0, found + 2));
    this.#state = 'done';
    return at + found + (isNone ? 2 : 4) - before;
  }

  #readFields(text: string): void {
    for (let at = 0; at < text.length; ) {
      const stop = text.indexOf('\r\n', at);
      readField(text, at, stop, this.trailers);
      checkTrailer(this.trailers.at(-2)!);
      at = stop + 2;
    }
  }
}

/** What says where a body ends has no place behind it (RFC 9110, 6.5.1): whoever it is passed on to might believe it. */
function checkTrailer(name: string): void {
  if (isNamed(name, 'content-length')) throw badAnswer('a length behind a body', 'INVALID_CONTENT_LENGTH');
  if (isNamed(name, 'transfer-encoding'))
    throw badAnswer('a coding behind a body', 'INVALID_TRANSFER_ENCODING');
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function badSize(): Error {
  return badAnswer('a chunk without a size', 'INVALID_CHUNK_SIZE');
}
