import { expect, it } from 'vitest';
import { firstValue } from './names.js';

it('takes the first of several values', () => {
  expect(firstValue({ a: '1' }, 'a')).toBe('1');
  expect(firstValue({ a: ['1', '2'] }, 'a')).toBe('1');
  expect(firstValue({ a: [] }, 'a')).toBeUndefined();
  expect(firstValue({}, 'a')).toBeUndefined();
});
