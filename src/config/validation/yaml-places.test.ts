import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { Places } from './yaml-places.js';

const TEXT = `services:
  web:
    backends: 10
    zones: [a, b]
    empty:
  &copy other: &same
    backends: 3
  third: *same
  7: seven
`;

/** What stands at the key and at the value of a path. */
function wordsAt(path: PropertyKey[], text = TEXT): string[] {
  const { key, value } = new Places(parseDocument(text, { stringKeys: true })).of(path);
  return [key, value].map((offset) => text.slice(offset).split(/[\s,\]]/)[0]!);
}

describe('a path leads', () => {
  it.each<[PropertyKey[], [string, string]]>([
    [[], ['services:', 'services:']],
    [['services'], ['services:', 'web:']],
    [
      ['services', 'web', 'backends'],
      ['backends:', '10'],
    ],
    [
      ['services', 'web', 'zones', 1],
      ['b', 'b'],
    ],
    [
      ['services', 'web', 'empty'],
      ['empty:', 'empty:'],
    ],
    [
      ['services', '7'],
      ['7:', 'seven'],
    ],
  ])('from %j to a key and a value', (path, words) => {
    expect(wordsAt(path)).toEqual(words);
  });

  it('through an alias to what it stands for', () => {
    expect(wordsAt(['services', 'third'])).toEqual(['third:', '*same']);
    expect(wordsAt(['services', 'third', 'backends'])).toEqual(['backends:', '3']);
  });

  it('to the only entry of what may be a list, written by itself', () => {
    expect(wordsAt(['services', 'web', 0, 'backends', 0])).toEqual(['backends:', '10']);
    expect(wordsAt(['services', 'web', 1, 'backends'])).toEqual(['web:', 'backends:']);
  });

  it('as far as there is something', () => {
    expect(wordsAt(['services', 'web', 'nothing', 'more'])).toEqual(['web:', 'backends:']);
    expect(wordsAt(['services', 'web', 'zones', 2])).toEqual(['zones:', '[a']);
    expect(wordsAt(['services', 'web', 'zones', 'x'])).toEqual(['zones:', '[a']);
    expect(wordsAt(['services', 'web', 'backends', 'x'])).toEqual(['backends:', '10']);
    expect(new Places(parseDocument('')).of(['a'])).toEqual({ key: 0, value: 0 });
  });

  it('from lists that hold nothing', () => {
    expect(wordsAt([1], '- a\n-\n- c\n')[0]).toBe('');
  });
});

it('has a node at its end, or none', () => {
  const places = new Places(parseDocument(TEXT, { stringKeys: true }));
  expect(places.nodeAt(['services', 'third', 'backends'])).toMatchObject({ value: 3 });
  expect(places.nodeAt(['services', 'third', 'nothing'])).toBeUndefined();
});
