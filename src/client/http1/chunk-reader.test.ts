import { maxHeaderSize } from 'node:http';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkReader } from './chunk-reader.js';

interface Reading {
  body: string;
  trailers: readonly string[];
  /** What is behind the end, or undefined if there was none. */
  rest: string | undefined;
  code: unknown;
}

/** Reads pieces, each as if it had come alone and stood somewhere in a larger buffer. */
function read(...pieces: readonly string[]): Reading {
  const reader = new ChunkReader();
  const reading: Reading = { body: '', trailers: reader.trailers, rest: undefined, code: undefined };
  try {
    for (const piece of pieces) {
      const bytes = Buffer.from(`##${piece}##`, 'latin1');
      const end = bytes.length - 2;
      let at = 2;
      while (at < end && !reader.isDone) {
        at = reader.read(bytes, at, end);
        reading.body += bytes.toString('latin1', reader.dataStart, reader.dataEnd);
      }
      if (reader.isDone) reading.rest = (reading.rest ?? '') + bytes.toString('latin1', at, end);
    }
  } catch (error) {
    reading.code = (error as { code: unknown }).code;
  }
  return reading;
}

/** The text, cut at these places. */
function cut(text: string, places: readonly number[]): string[] {
  const sorted = [...places].map((place) => Math.floor(place * text.length)).sort((a, b) => a - b);
  return [0, ...sorted].map((from, i) => text.slice(from, sorted[i] ?? text.length));
}

const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
const latin = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
const token = fc.string({ unit: fc.constantFrom('a', 'B', '-', '7'), minLength: 1, maxLength: 12 });

describe('a body in chunks', () => {
  it('is the same whatever pieces it comes in, with what follows it', () => {
    const chunk = fc.record({ data: latin, upper: fc.boolean(), zeros: fc.nat(3), extension: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(chunk),
        fc.array(fc.tuple(token, token)),
        latin,
        places,
        (chunks, fields, rest, cuts) => {
          const parts = chunks.filter(({ data }) => data !== '');
          const text = [
            ...parts.map(({ data, upper, zeros, extension }) => {
              const size = data.length.toString(16);
              const shown = '0'.repeat(zeros) + (upper ? size.toUpperCase() : size);
              return `${shown}${extension ? ';a="b";c' : ''}\r\n${data}\r\n`;
            }),
            '0\r\n',
            ...fields.map(([name, value]) => `${name}: ${value}\r\n`),
            '\r\n',
          ].join('');
          const whole = {
            body: parts.map(({ data }) => data).join(''),
            trailers: fields.flat(),
            code: undefined,
            rest,
          };
          expect(read(text + rest)).toEqual(whole);
          expect(read(...cut(text + rest, cuts))).toEqual(whole);
          expect(read(...(text + rest))).toEqual(whole);
        },
      ),
    );
  });

  it('of any bytes ends, goes on or is refused in the same way whatever pieces it comes in', () => {
    const unit = fc.constantFrom(
      '0',
      '1',
      '3',
      'a',
      '\r',
      '\n',
      '\r\n',
      '\r\n\r\n',
      ';',
      ':',
      ' ',
      '\0',
      'x: y\r\n',
    );
    fc.assert(
      fc.property(fc.string({ unit }), places, (text, cuts) => {
        const whole = read(text);
        const pieces = read(...cut(text, cuts));
        // Where it is refused is not promised, only that it is.
        if (whole.code !== undefined) expect(pieces.code).toBeDefined();
        else expect(pieces).toEqual(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it('that is empty is at its end with an empty line', () => {
    expect(read('0\r\n\r\n')).toEqual({ body: '', trailers: [], rest: '', code: undefined });
    expect(read('0\r\n').rest).toBeUndefined();
    expect(read('0\r\n\r').rest).toBeUndefined();
  });

  it.each([
    ['no digits', '\r\nhello\r\n'],
    ['only an extension', ';a\r\n'],
    ['a sign', '+5\r\nhello\r\n'],
    ['a negative size', '-5\r\nhello\r\n'],
    ['0x', '0x5\r\nhello\r\n'],
    ['a blank before', ' 5\r\nhello\r\n'],
    ['a blank behind', '5 \r\nhello\r\n'],
    ['a blank before an extension', '5 ;a\r\nhello\r\n'],
    ['a tab', '5\t\r\nhello\r\n'],
    ['no hexadecimal digit', '5g\r\nhello\r\n'],
    ['a NUL', '5\0\r\nhello\r\n'],
    ['LF alone', '5\nhello\r\n'],
    ['CR alone', '5\rhello\r\n'],
    ['CR twice', '5\r\r\nhello\r\n'],
    ['LF alone in an extension', '5;a\nhello\r\n'],
    ['CR alone in an extension', '5;a\rb\r\nhello\r\n'],
    ['NUL in an extension', '5;\0\r\nhello\r\n'],
    ['more digits than a number has', '1000000000000\r\n'],
    ['zeros without end', '0'.repeat(13)],
    ['so many digits that they are another number', '10000000000000005\r\nhello\r\n'],
    ['an extension without end', `5;${'a'.repeat(5_000)}`],
  ])('is refused with %s instead of a size', (_what, text) => {
    expect(read(text)).toMatchObject({ body: '', code: 'HPE_INVALID_CHUNK_SIZE' });
    expect(read(...text)).toMatchObject({ body: '', code: 'HPE_INVALID_CHUNK_SIZE' });
  });

  it.each(['5\r\nhelloX\r\n', '5\r\nhello\n0\r\n\r\n', '5\r\nhello\rX', '5\r\nhello0\r\n\r\n'])(
    'is refused when a chunk is longer than it says: %j',
    (text) => {
      expect(read(text)).toMatchObject({ body: 'hello', code: 'HPE_STRICT' });
    },
  );

  it('counts extensions of each chunk for itself', () => {
    const chunk = `1;${'a'.repeat(4_000)}\r\nx\r\n`;
    expect(read(`${chunk.repeat(5)}0\r\n\r\n`)).toMatchObject({ body: 'xxxxx', rest: '' });
  });
});

describe('fields behind a body', () => {
  it.each([
    'no colon\r\n\r\n',
    'a : b\r\n\r\n',
    ' a: b\r\n\r\n',
    'a: b\r\n c\r\n\r\n',
    'a: b\0\r\n\r\n',
    'a: b\rc\r\n\r\n',
    'a: b\nc: d\r\n\r\n',
    'a: b\n\n',
    '\n',
    '\rX\r\n\r\n',
    ': b\r\n\r\n',
  ])('%j are none', (text) => {
    expect(read(`0\r\n${text}`).code).toBe('HPE_INVALID_HEADER_TOKEN');
    expect(read('0\r\n', ...text).code).toBe('HPE_INVALID_HEADER_TOKEN');
  });

  it.each([
    ['Content-Length: 3', 'HPE_INVALID_CONTENT_LENGTH'],
    ['transfer-encoding: chunked', 'HPE_INVALID_TRANSFER_ENCODING'],
  ])('say nothing of where it ends: %j', (line, code) => {
    expect(read(`0\r\nx-a: 1\r\n${line}\r\n\r\n`).code).toBe(code);
  });

  const fieldsOf = (bytes: number) => `0\r\na: ${'x'.repeat(bytes - 'a: \r\n\r\n'.length)}\r\n\r\n`;

  it('are as long as a head may be, whatever pieces they come in', () => {
    for (const pieces of [1, 2, 3, 7, 100]) {
      const split = (text: string) =>
        cut(
          text,
          Array.from({ length: pieces - 1 }, (_, i) => (i + 1) / pieces),
        );
      expect(read(...split(fieldsOf(maxHeaderSize))), `in ${pieces}`).toMatchObject({
        code: undefined,
        rest: '',
      });
      const refused = { code: 'UND_ERR_HEADERS_OVERFLOW', trailers: [] };
      expect(read(...split(fieldsOf(maxHeaderSize + 1))), `in ${pieces}`).toMatchObject(refused);
      expect(read(...split(fieldsOf(1.5 * maxHeaderSize))), `in ${pieces}`).toMatchObject(refused);
      expect(read(...split(fieldsOf(3 * maxHeaderSize))), `in ${pieces}`).toMatchObject(refused);
    }
  });

  it('without end are not read for ever', () => {
    expect(read('0\r\n', ...Array.from({ length: 3_000 }, () => 'a: b\r\n')).code).toBe(
      'UND_ERR_HEADERS_OVERFLOW',
    );
  });
});
