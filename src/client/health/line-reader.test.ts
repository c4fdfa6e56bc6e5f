import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineReader } from './line-reader.js';

function read(chunks: readonly Buffer[], max = 8): { lines: string[]; isGood: boolean } {
  const lines: string[] = [];
  const reader = new LineReader(max, (line) => lines.push(line));
  const isGood = chunks.every((chunk) => reader.read(chunk));
  return { lines, isGood };
}

it('cuts anywhere, into the same lines', () => {
  const text = 'ready\n\nä ö ü\nlame';
  const bytes = Buffer.from(text);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length })), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = at.slice(1).map((to, i) => bytes.subarray(at[i], to));
      expect(read(chunks)).toEqual({ lines: ['ready', '', 'ä ö ü'], isGood: true });
    }),
  );
});

it('takes no line that is too long, complete or not', () => {
  expect(read([Buffer.from('12345678\n')]).isGood).toBe(true);
  expect(read([Buffer.from('123456789\n')])).toEqual({ lines: [], isGood: false });
  expect(read([Buffer.from('1234'), Buffer.from('56789')]).isGood).toBe(false);
  expect(read([Buffer.from('1234'), Buffer.from('56789\n')])).toEqual({ lines: [], isGood: false });
  expect(read([Buffer.from('a\n123456789')])).toEqual({ lines: ['a'], isGood: false });
});
