import type { SeededRandom } from '../../../src/core/index.js';

/** What a backend writes, in these pieces, and whether it then closes its connection. */
export interface MadeAnswer {
  readonly pieces: readonly string[];
  readonly isClosed: boolean;
  readonly method: 'GET' | 'HEAD' | 'POST';
}

const STATUS_LINES = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200',
  'HTTP/1.1 404 Not Found',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.1 500 Oh',
  'HTTP/1.1 205 Reset Content',
];
const FIELDS = [
  'x-a: 1',
  'X-A: 2',
  'x-empty:',
  'x-blank:   a b',
  'x-byte: \xe4\xff',
  'connection: keep-alive',
  'Connection: close',
  'keep-alive: timeout=5',
  'content-type: text/plain',
  `x-long: ${'y'.repeat(3_000)}`,
];
const HINTS = ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 'HTTP/1.1 102 Processing\r\n\r\n'];
const TRAILERS = ['', '', 'x-t: 1\r\n', 'x-t: 1\r\nX-U: b c\r\n'];
/** What is put in, taken out or changed: what parsers have fallen for. */
const NASTY = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ',',
    ';',
    '\x7f',
    '\x01',
    '\x80',
    '\xff',
    '0',
    '1',
    '9',
    'a',
    'f',
  ],
  ...[
    '\r\n ',
    '\n\n',
    '\r\n\r\n',
    '\r\r\n',
    ' \r\n',
    'HTTP/1.1 ',
    'HTTP/2.0 200 OK\r\n\r\n',
    '100',
    '101',
    '+',
    '-',
    '0x',
  ],
  ...['content-length: 3\r\n', 'transfer-encoding: chunked\r\n', 'Transfer-Encoding: gzip, chunked\r\n'],
  ...[
    'content-length: 3, 3\r\n',
    'transfer-encoding: identity\r\n',
    'connection: close\r\n',
    '0\r\n\r\n',
    '3;a=b\r\n',
  ],
  ...[
    '5;x="\r\n',
    '0000000000000005',
    'content-length : 3\r\n',
    ' content-length: 3\r\n',
    'Content-Length: 18446744073709551616\r\n',
  ],
];

function oneOf<T>(random: SeededRandom, list: readonly T[]): T {
  return list[random.below(list.length)]!;
}

function chunked(random: SeededRandom): string {
  let text = '';
  for (let left = random.below(4); left > 0; left--) {
    const size = 1 + random.below(oneOf(random, [3, 20, 5_000]));
    const extension = oneOf(random, ['', '', ';a', ';a=b', ';a="b"']);
    text += `${oneOf(random, ['', '0'])}${size.toString(16)}${extension}\r\n${'z'.repeat(size)}\r\n`;
  }
  return `${text}0\r\n${oneOf(random, TRAILERS)}\r\n`;
}

function wellFormed(random: SeededRandom): string {
  const lines = [oneOf(random, STATUS_LINES)];
  for (let left = random.below(4); left > 0; left--) lines.push(oneOf(random, FIELDS));
  const framing = random.below(5);
  let body = 'z'.repeat(random.below(oneOf(random, [1, 20, 9_000])));
  if (framing <= 1) lines.push(`Content-Length: ${body.length}`);
  else if (framing <= 3) {
    lines.push('Transfer-Encoding: chunked');
    body = chunked(random);
  }
  const hint = random.below(6) === 0 ? oneOf(random, HINTS) : '';
  return `${hint}${lines.join('\r\n')}\r\n\r\n${body}`;
}

function mutated(random: SeededRandom, text: string): string {
  const at = random.below(text.length + 1);
  // Most of what matters stands at the beginning.
  const place = random.below(3) > 0 ? Math.min(at, random.below(120)) : at;
  switch (random.below(4)) {
    case 0:
      return text.slice(0, place) + text.slice(place + 1 + random.below(3));
    case 1:
      return text.slice(0, place) + oneOf(random, NASTY) + text.slice(place + 1);
    case 2: {
      // At the beginning of a line.
      const line = text.indexOf('\r\n', place);
      const start = line < 0 ? text.length : line + 2;
      return text.slice(0, start) + oneOf(random, NASTY) + text.slice(start);
    }
    default:
      return text.slice(0, place) + oneOf(random, NASTY) + text.slice(place);
  }
}

function cut(random: SeededRandom, text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (let left = random.below(4); left > 0 && rest.length > 1; left--) {
    const at = 1 + random.below(random.below(2) === 0 ? Math.min(rest.length - 1, 100) : rest.length - 1);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...pieces, rest].filter((piece) => piece !== '');
}

/** An answer that is one, or nearly. */
export function makeAnswer(random: SeededRandom): MadeAnswer {
  let text = wellFormed(random);
  for (let left = random.below(4); left > 0; left--) text = mutated(random, text);
  if (random.below(12) === 0) text = text.slice(0, random.below(text.length + 1));
  return {
    pieces: cut(random, text),
    isClosed: random.below(4) > 0,
    method: oneOf(random, ['GET', 'GET', 'GET', 'HEAD', 'POST']),
  };
}
