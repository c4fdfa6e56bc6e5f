import { expect, it } from 'vitest';
import { deeperThan } from './nesting.js';

const brackets = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const indented = (depth: number) =>
  Array.from({ length: depth }, (_, at) => `${' '.repeat(at)}a:`).join('\n');

it.each([
  ['brackets', brackets],
  ['indentation', indented],
  ['dashes', (depth: number) => `${'- '.repeat(depth)}a`],
])('knows deep nesting by %s from shallow', (_, make) => {
  expect(deeperThan(make(20), 100)).toBeUndefined();
  const at = deeperThan(make(1_000), 100)!;
  // Somewhere where there are still no more than a few levels too many.
  expect(at).toBeGreaterThan(0);
  expect(deeperThan(make(1_000).slice(0, at - 1), 110)).toBeUndefined();
});

it('does not take length for depth', () => {
  expect(deeperThan(`${'- [a]\n'.repeat(1_000)}`, 100)).toBeUndefined();
});
