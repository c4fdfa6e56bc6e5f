import { expect, it } from 'vitest';
import { seedOf } from './seed.js';

it.each([
  ['0', 0],
  ['007', 7],
  ['999999999', 999_999_999],
])('%s is the seed %d', (text, seed) => {
  expect(seedOf(text)).toBe(seed);
});

it.each(['', '-1', '1.5', '1e3', ' 1', '1000000000', 'x'])('"%s" is none', (text) => {
  expect(seedOf(text)).toBeUndefined();
});
