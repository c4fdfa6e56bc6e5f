import { expect, it } from 'vitest';
import { isNestedDeeper } from './nesting.js';

const brackets = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const indented = (depth: number) =>
  Array.from({ length: depth }, (_, at) => `${' '.repeat(at)}a:`).join('\n');

it.each([
  ['brackets', brackets],
  ['indentation', indented],
  ['dashes', (depth: number) => `${'- '.repeat(depth)}a`],
])('knows deep nesting by %s from shallow', (_, make) => {
  expect(isNestedDeeper(make(20), 100)).toBe(false);
  expect(isNestedDeeper(make(1_000), 100)).toBe(true);
});

it('does not take length for depth', () => {
  expect(isNestedDeeper(`${'- [a]\n'.repeat(1_000)}`, 100)).toBe(false);
});
