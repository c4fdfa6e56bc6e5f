import { expect, it } from 'vitest';
import { Nuisance } from './nuisance.js';

it('allows so many at once, and earns them back with time', () => {
  const nuisance = new Nuisance(3, 2, 0);
  expect([0, 0, 0].map((now) => nuisance.add(now))).toEqual([false, false, false]);
  expect(nuisance.add(0)).toBe(true);
  // One is owed: in a second two are earned.
  expect(nuisance.add(1_000)).toBe(false);
  expect(nuisance.add(1_000)).toBe(true);
});

it('saves no more than it begins with, however long it was idle', () => {
  const nuisance = new Nuisance(2, 1, 0);
  expect([0, 1, 2].map(() => nuisance.add(3_600_000))).toEqual([false, false, true]);
});
