import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBeginning, ResponseHead, readField } from './response-head.js';

/** A head of these lines. */
const headOf = (...lines: readonly string[]) => new ResponseHead(lines.map((line) => `${line}\r\n`).join(''));

const ok = (...fields: readonly string[]) => headOf('HTTP/1.1 200 OK', ...fields);

const codeOf = (make: () => unknown): unknown => {
  try {
    make();
    return 'none';
  } catch (error) {
    return (error as { code: unknown }).code;
  }
};

describe('a status line', () => {
  it.each([
    ['HTTP/1.1 200 OK', 200, 'OK'],
    ['HTTP/1.1 404 Not Found', 404, 'Not Found'],
    ['HTTP/1.0 200 OK', 200, 'OK'],
    ['HTTP/1.1 200', 200, ''],
    ['HTTP/1.1 200 ', 200, ''],
    ['HTTP/1.1 100 Continue', 100, 'Continue'],
    ['HTTP/1.1 999 \xff\ttabs and bytes', 999, '\xff\ttabs and bytes'],
  ])('%j is read', (line, status, reason) => {
    expect(headOf(line)).toMatchObject({ status, reason, headers: [] });
  });

  it.each([
    'HTTP/2.0 200 OK',
    'HTTP/1.2 200 OK',
    'HTTP/0.9 200 OK',
    'HTTP/1.10 200 OK',
    'HTTP/11 200 OK',
    'HTTP/1.1200 OK',
    'HTTP/1.1',
    'HTTP/1.1\t200 OK',
    'http/1.1 200 OK',
    'ICY 200 OK',
    ' HTTP/1.1 200 OK',
    '',
  ])('%j is of no version that is known', (line) => {
    expect(codeOf(() => headOf(line))).toBe('HPE_INVALID_VERSION');
  });

  it.each([
    'HTTP/1.1 ',
    'HTTP/1.1 20',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 200OK',
    'HTTP/1.1 200\tOK',
    'HTTP/1.1  200 OK',
    'HTTP/1.1 +20 OK',
    'HTTP/1.1 -20 OK',
    'HTTP/1.1 0x2 OK',
    'HTTP/1.1 099 OK',
    'HTTP/1.1 000 OK',
    'HTTP/1.1 2e2 OK',
    'HTTP/1.1 200 O\0K',
    'HTTP/1.1 200 O\rK',
    'HTTP/1.1 200 O\nK',
    'HTTP/1.1 200 O\x7fK',
  ])('%j has no status', (line) => {
    expect(codeOf(() => headOf(line))).toBe('HPE_INVALID_STATUS');
  });
});

describe('fields', () => {
  it('stay as they came, in their order, without the blanks around values', () => {
    const { headers } = ok('Set-Cookie: a=1', 'X-Empty:', 'x-b:\t b \t c \t', 'set-cookie:b', 'x-colon: a:b');
    expect(headers).toEqual(
      ['Set-Cookie', 'a=1', 'X-Empty', '', 'x-b', 'b \t c', 'set-cookie', 'b', 'x-colon', 'a:b'], //
    );
  });

  it.each([
    'no colon',
    ': no name',
    'blank before : colon',
    'x-tab\t: before colon',
    ' x-folded: line',
    '\tfolded',
    'x-nul: a\0b',
    'x-cr: a\rb',
    'x-cr: a\r',
    'x-lf: a\nb',
    'x-lf: a\n',
    '\nx-lf: a',
    'x-del: \x7f',
    'x-escape: \x1b[2J',
    'x\0: a',
    'x(y): a',
    'x"y": a',
    'x\xe4: a',
    '',
  ])('%j is none', (line) => {
    expect(codeOf(() => ok('x-before: 1', line, 'x-after: 1'))).toBe('HPE_INVALID_HEADER_TOKEN');
  });

  it('of any bytes are refused, or read as one line with one name', () => {
    const bytes = fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    });
    const nasty = fc.string({
      unit: fc.constantFrom('\r', '\n', '\0', ' ', '\t', ':', ',', 'a', 'Z', '\x7f'),
    });
    fc.assert(
      fc.property(fc.oneof(bytes, nasty), fc.oneof(bytes, nasty), (name, value) => {
        const line = `${name}:${value}`;
        if (line.includes('\r\n')) return;
        const fields: string[] = [];
        if (codeOf(() => readField(`${line}\r\n`, 0, line.length, fields)) !== 'none') {
          expect(fields).toEqual([]);
          return;
        }
        expect(fields).toHaveLength(2);
        expect(fields[0]).toMatch(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
        expect(fields[1]).not.toMatch(/[\0-\x08\x0a-\x1f\x7f]|^[ \t]|[ \t]$/);
        expect(line.startsWith(`${fields[0]}:`)).toBe(true);
      }),
    );
  });
});

describe('the end of an answer', () => {
  it.each([
    ['0', 0],
    ['5', 5],
    ['  5\t', 5],
    ['007', 7],
    ['999999999999999', 999_999_999_999_999],
  ])('is a length: %j', (value, contentLength) => {
    expect(ok(`Content-LENGTH: ${value}`)).toMatchObject({ contentLength, isChunked: false, isKept: true });
  });

  it.each([
    '',
    '+5',
    '-5',
    '0x5',
    '5a',
    'five',
    '5.0',
    '5e1',
    '5 5',
    '5,5',
    '5, 5',
    '"5"',
    '\xb2',
    '1000000000000000',
    '18446744073709551621',
    '9'.repeat(400),
  ])('is no length: %j', (value) => {
    expect(codeOf(() => ok(`content-length: ${value}`))).toBe('HPE_INVALID_CONTENT_LENGTH');
  });

  it('is not said twice, be it the same', () => {
    expect(codeOf(() => ok('content-length: 5', 'Content-Length: 5'))).toBe('HPE_UNEXPECTED_CONTENT_LENGTH');
    expect(codeOf(() => ok('content-length: 5', 'content-length: 6'))).toBe('HPE_UNEXPECTED_CONTENT_LENGTH');
  });

  it('is said by chunks, in whatever case', () => {
    expect(ok('Transfer-Encoding: Chunked')).toMatchObject({ isChunked: true, isKept: true });
  });

  it.each([
    'gzip',
    'gzip, chunked',
    'chunked, gzip',
    'chunked, chunked',
    'chunked,',
    ',chunked',
    'identity',
    'xchunked',
    'chunked;q=1',
    '"chunked"',
    'chun\u212aed'.replace('\u212a', 'K\xad'),
    '',
  ])('is not known of a coding %j', (value) => {
    expect(codeOf(() => ok(`transfer-encoding: ${value}`))).toBe('HPE_INVALID_TRANSFER_ENCODING');
  });

  it('is not said by chunks and anything else', () => {
    const [chunks, length] = ['transfer-encoding: chunked', 'content-length: 5'];
    for (const fields of [
      [chunks, length],
      [length, chunks],
      [chunks, chunks],
    ] as const)
      expect(codeOf(() => ok(...fields))).toBe('HPE_INVALID_TRANSFER_ENCODING');
  });

  it('is open without either', () => {
    expect(ok('content-lengths: 5', 'x-transfer-encoding: chunked')).toMatchObject({
      contentLength: undefined,
      isChunked: false,
    });
  });
});

describe('a connection', () => {
  it.each([
    [['HTTP/1.1 200 OK'], true],
    [['HTTP/1.1 200 OK', 'Connection: close'], false],
    [['HTTP/1.1 200 OK', 'Connection: CLOSE'], false],
    [['HTTP/1.1 200 OK', 'Connection: keep-alive'], true],
    [['HTTP/1.1 200 OK', 'Connection: x, close , y'], false],
    [['HTTP/1.1 200 OK', 'Connection: keep-alive', 'connection: close'], false],
    [['HTTP/1.1 200 OK', 'Connection: keep-alive, close'], false],
    [['HTTP/1.1 200 OK', 'Connection: closed'], true],
    [['HTTP/1.0 200 OK'], false],
    [['HTTP/1.0 200 OK', 'Connection: Keep-Alive'], true],
    [['HTTP/1.0 200 OK', 'Connection: x,keep-alive'], true],
    [['HTTP/1.0 200 OK', 'Connection: keep-alive', 'Connection: close'], false],
    // Nothing behind them is believed.
    [['HTTP/1.0 200 OK', 'Connection: keep-alive', 'Transfer-Encoding: chunked'], false],
  ])('after %j is kept: %s', (lines, isKept) => {
    expect(headOf(...lines).isKept).toBe(isKept);
  });

  it.each([
    ['timeout=5', 5_000],
    ['timeout=5, max=100', 5_000],
    ['max=100, Timeout = 72', 72_000],
    ['max=1;timeout="3"', 3_000],
    ['timeout=0', 0],
    ['timeout=', undefined],
    ['timeout=-5', undefined],
    ['xtimeout=5', undefined],
    ['max=100', undefined],
    ['timeout=99999999999', undefined],
    ['', undefined],
  ])('is kept for as long as is said: %j', (value, keptMs) => {
    expect(ok(`Keep-Alive: ${value}`).keptMs).toBe(keptMs);
  });
});

describe('the beginning of a head', () => {
  const WHOLE = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nx-a: b\r\n\r\n';

  it('is one, wherever it is cut', () => {
    for (let length = 0; length <= WHOLE.length; length++)
      expect(isBeginning(WHOLE.slice(0, length)), String(length)).toBe(true);
  });

  it.each([
    'X',
    'HTTP/2',
    'http',
    '\r\nHTTP/1.1',
    '\nHTTP',
    ' HTTP',
    '\0',
    'HTTP/1.1 200 OK\n',
    `${WHOLE}\n`,
    'SSH-2.0',
  ])('%j will never be one', (text) => {
    expect(isBeginning(text)).toBe(false);
  });

  it('that will never be one is no head when it is whole', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('HTTP/1.1 200 OK', '\r\n', '\n', '\r', 'a: b', 'x') }),
        (text) => {
          const end = text.indexOf('\r\n\r\n');
          if (end < 0 || codeOf(() => new ResponseHead(text.slice(0, end + 2))) !== 'none') return;
          for (let cut = 0; cut <= end; cut++) expect(isBeginning(text.slice(0, cut))).toBe(true);
        },
      ),
    );
  });
});
