import { expect, it } from 'vitest';
import { RecentErrors } from './recent-errors.js';

it('counts errors for a second, in the order they came', () => {
  const errors = new RecentErrors<{ errors: number }>();
  const [a, b] = [{ errors: 0 }, { errors: 0 }];
  errors.add(a, 0);
  errors.add(b, 1);
  errors.add(a, 2);
  expect([a.errors, b.errors]).toEqual([2, 1]);
  expect(errors.forget(999)).toBeUndefined();
  expect([errors.forget(1_000), errors.forget(1_000)]).toEqual([a, undefined]);
  expect([errors.forget(1_002), errors.forget(1_002), errors.forget(1_002)]).toEqual([b, a, undefined]);
  expect([a.errors, b.errors]).toEqual([0, 0]);
});

it('counts a hundred of one backend at the most, and forgets as many', () => {
  const errors = new RecentErrors<{ errors: number }>();
  const entry = { errors: 0 };
  for (let count = 0; count < 150; count++) errors.add(entry, 0);
  expect(entry.errors).toBe(100);
  while (errors.forget(1_000) !== undefined);
  expect(entry.errors).toBe(0);
});
