import { expect, it } from 'vitest';
import { PREFACE, protocolOf } from './preface.js';

it('knows HTTP/2 by its first line, and not before', () => {
  for (let length = 0; length <= PREFACE.length; length++)
    expect(protocolOf(PREFACE.subarray(0, length))).toBe(length < 16 ? undefined : 'http2');
});

it.each([
  'G',
  'GET / HTTP/1.1\r\n',
  'POST',
  'PR ',
  'PRI / HTTP/2.0\r\n',
  'PRI * HTTP/1.1\r\n',
  '\x16\x03\x01',
])('takes %j for HTTP/1.1, whose server says what is wrong with it', (text) => {
  expect(protocolOf(Buffer.from(text, 'latin1'))).toBe('http1');
});
