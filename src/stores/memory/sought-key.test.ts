import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashAt, KEY_CELLS, sought, TEXT_FORM } from './sought-key.js';

/** What a table would keep of a key. */
function wordsOf(key: string): Int32Array {
  sought.read(key);
  const words = new Int32Array(2 * KEY_CELLS[sought.form]!);
  sought.write(words, 0);
  return words;
}

const latin = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });

describe('SoughtKey', () => {
  it('is the same by its words if and only if it is the same key', () => {
    const keys = fc.oneof(latin, fc.string({ unit: fc.constantFrom('\0', '\x01', 'a', 'ÿ'), maxLength: 9 }));
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        const words = wordsOf(one);
        // Whatever was read before leaves nothing behind.
        sought.read('another key, which is longer than both');
        sought.read(other);
        expect(sought.isAt(words, 0)).toBe(one === other);
      }),
    );
  });

  it.each([
    ['', '\0'],
    ['a', 'a\0'],
    ['abc', 'abc\0'],
    ['\0', '\0\0'],
    ['key-1', 'key-2'],
    ['a'.repeat(39), `${'a'.repeat(38)}b`],
    ['a'.repeat(15), 'a'.repeat(16)],
    // The same in their last eight bits.
    ['a', '\u0161'],
    ['a'.repeat(39), 'a'.repeat(40)],
  ])('tells %j from %j', (one, other) => {
    const words = wordsOf(one);
    sought.read(other);
    expect(sought.isAt(words, 0)).toBe(false);
    sought.read(one);
    expect(sought.isAt(words, 0)).toBe(true);
  });

  it('is bytes up to 39 letters below 256, a string beyond', () => {
    const cellsOf = (key: string) => {
      sought.read(key);
      return sought.form === TEXT_FORM ? 'string' : KEY_CELLS[sought.form];
    };
    const lengths = [0, 15, 16, 23, 24, 31, 32, 39, 40];
    expect(lengths.map((length) => cellsOf('ÿ'.repeat(length)))).toEqual([2, 2, 3, 3, 4, 4, 5, 5, 'string']);
    expect(['Ā', 'key of 漢字', '😀'].map(cellsOf)).toEqual(['string', 'string', 'string']);
  });

  it('has its hash in what is kept of it, in every form', () => {
    const keys = fc.oneof(latin, fc.string({ unit: 'binary' }), fc.string({ minLength: 30, maxLength: 50 }));
    fc.assert(
      fc.property(keys, (key) => {
        const words = wordsOf(key);
        const { hash, form } = sought;
        sought.read('another');
        expect(hashAt(words, 0, form)).toBe(hash);
        // Who is moved does not change who is sought.
        expect(sought.isAt(wordsOf('another'), 0)).toBe(true);
      }),
    );
  });
});
