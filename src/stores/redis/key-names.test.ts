import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyName } from './key-names.js';
import { slotOf } from './slots.js';

const letter = fc.constantFrom('a', '}', '{', '%', '#', ':', '~', '\ud800', '\udc01', '\ufffd');
const key = fc.oneof(
  fc.string({ unit: letter, maxLength: 4 }),
  fc.string({ unit: letter, minLength: 126, maxLength: 131 }),
);
const suffix = fc.constantFrom(':a:g1-1-1', ':a:a:g1-1-1', ':g1-1-1');

describe('keyName', () => {
  it('is readable', () => {
    expect(keyName('plimsoll:rate:', '10.0.0.1', ':api:g5-60000-5')).toBe(
      'plimsoll:rate:{10.0.0.1}:api:g5-60000-5',
    );
  });

  it('is another one for each key and rule', () => {
    fc.assert(
      fc.property(key, suffix, key, suffix, (a, aEnd, b, bEnd) => {
        const isSame = a === b && aEnd === bEnd;
        const [one, other] = [keyName('p:', a, aEnd), keyName('p:', b, bEnd)];
        // As they are sent.
        expect(Buffer.from(one).equals(Buffer.from(other))).toBe(isSame);
      }),
    );
  });

  it('is another one for each half of a letter', () => {
    const long = 'x'.repeat(200);
    const keys = ['\ud800', '\ud801', '\ufffd', '\udc00', `${long}\ud800`, `${long}\ud801`, '\ud800\udc00'];
    const names = keys.map((each) => Buffer.from(keyName('p:', each, ':a')).toString('hex'));
    expect(new Set(names).size).toBe(keys.length);
    expect(keyName('p:', '😀', ':a')).toBe('p:{😀}:a');
  });

  it('has all rules of a key in one slot, whatever the key', () => {
    fc.assert(
      fc.property(key, (each) => {
        const [a, b] = [keyName('p:', each, ':a:g1-1-1'), keyName('p:', each, ':b:f2-2-2')];
        expect(slotOf(a)).toBe(slotOf(b));
      }),
    );
  });

  it('has a bounded length, and differs by the end of long keys too', () => {
    const long = 'x'.repeat(100_000);
    expect(keyName('p:', long, ':a')).toHaveLength(2 + 47 + 2);
    expect(keyName('p:', long, ':a')).not.toBe(keyName('p:', `${long}y`, ':a'));
    // What a long key becomes cannot be chosen as a key.
    const tag = /\{(.*)\}/.exec(keyName('p:', long, ':a'))![1]!;
    expect(keyName('p:', tag, ':a')).not.toBe(keyName('p:', long, ':a'));
  });
});
