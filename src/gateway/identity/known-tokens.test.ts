import { expect, it } from 'vitest';
import { KnownTokens } from './known-tokens.js';

it('knows a token until it expires, and none for longer than ten minutes', () => {
  const tokens = new KnownTokens();
  tokens.learn('Bearer a', 'ann', '100', 0);
  tokens.learn('Bearer b', 'bob', undefined, 0);
  tokens.learn('Bearer c', 'carl', 'soon', 0);
  expect(tokens.find('Bearer a', 99_999)).toBe('ann');
  expect(tokens.find('Bearer a', 100_000)).toBe(undefined);
  expect(tokens.find('Bearer b', 599_999)).toBe('bob');
  expect(tokens.find('Bearer b', 600_000)).toBe(undefined);
  expect(tokens.find('Bearer c', 0)).toBe(undefined);
  expect(tokens.find(undefined, 0)).toBe(undefined);
  expect(tokens.find('x'.repeat(9_000), 0)).toBe(undefined);
});

it('knows so many, and no more', () => {
  const tokens = new KnownTokens();
  for (let i = 0; i < 10_001; i++) tokens.learn(`Bearer ${i}`, 'ann', undefined, 0);
  expect(tokens.find('Bearer 0', 0)).toBe(undefined);
  expect(tokens.find('Bearer 10000', 0)).toBe('ann');
});
