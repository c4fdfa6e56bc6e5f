import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearestWord } from './nearest-word.js';

describe('the nearest word', () => {
  const known = ['backends', 'clients', 'durationMs', 'faults'];

  it.each([
    ['bakends', 'backends'],
    ['bcakends', 'backends'],
    ['Backends', 'backends'],
    ['durationms', 'durationMs'],
    ['fault', 'faults'],
    ['duration', 'durationMs'],
    ['clien', undefined],
    ['zones', undefined],
    ['x', undefined],
    ['', undefined],
  ])('of %j is %j', (word, nearest) => {
    expect(nearestWord(word, known)).toBe(nearest);
  });

  it('is the first of those that are equally near', () => {
    expect(nearestWord('cat', ['bat', 'car'])).toBe('bat');
    expect(nearestWord('car', ['bat', 'cat', 'care', 'car'])).toBe('car');
  });
});

describe('the distance of words', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['', 'abc', 3],
    ['abc', 'abd', 1],
    ['abc', 'bac', 1],
    ['abcd', 'badc', 2],
    ['kitten', 'sitting', 3],
  ])('%j and %j: %d', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it('is the same both ways, and nothing only to itself', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (from, to) => {
        expect(editDistance(from, to)).toBe(editDistance(to, from));
        expect(editDistance(from, to) === 0).toBe(from === to);
      }),
    );
  });
});
