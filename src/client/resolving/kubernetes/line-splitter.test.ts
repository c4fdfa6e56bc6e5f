import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.js';

function split(bytes: Uint8Array, cuts: readonly number[], most = 1_000): string[] {
  const splitter = new LineSplitter(most);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).flatMap((end, i) => splitter.push(bytes.subarray(at[i], end)));
}

it('gives the same lines however the bytes are cut', () => {
  const line = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
    .filter((text) => text.trim() !== '' && !text.includes('\n'));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 10 }), fc.array(fc.nat(), { maxLength: 20 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
      expect(split(bytes, cuts, 1e6)).toEqual(lines.map((each) => Buffer.from(each).toString()));
    }),
  );
});

it('keeps a letter whole that two chunks share', () => {
  const bytes = Buffer.from('zürich\n');
  expect(split(bytes, [2])).toEqual(['zürich']);
});

it('gives nothing of a line that is not complete', () => {
  const splitter = new LineSplitter(100);
  expect(splitter.push(Buffer.from('one\ntw'))).toEqual(['one']);
  expect(splitter.push(Buffer.from('o\n\n \nthr'))).toEqual(['two']);
});

it('leaves out a line that is too long, and goes on after it', () => {
  const splitter = new LineSplitter(5);
  expect(splitter.push(Buffer.from('12345\n123456\nab'))).toEqual(['12345']);
  expect(splitter.tooLong).toBe(1);
  expect(splitter.push(Buffer.from('c\n'))).toEqual(['abc']);
  for (let i = 0; i < 100; i++) expect(splitter.push(Buffer.from('xxx'))).toEqual([]);
  expect(splitter.push(Buffer.from('\nok\n'))).toEqual(['ok']);
  expect(splitter.tooLong).toBe(2);
});
