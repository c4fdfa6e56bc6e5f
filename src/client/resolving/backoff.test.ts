import { expect, it } from 'vitest';
import { Backoff } from './backoff.js';

it('waits twice as long each time, up to the limit', () => {
  const backoff = new Backoff(1_000, 30_000, () => 1);
  const waits = Array.from({ length: 7 }, () => backoff.next());
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(backoff.failures).toBe(7);
  backoff.reset();
  expect(backoff.next()).toBe(1_000);
});

it('waits half of it at least', () => {
  expect(new Backoff(1_000, 30_000, () => 0).next()).toBe(500);
});

it('is still right after a day of failures', () => {
  const backoff = new Backoff(1_000, 30_000, () => 1);
  for (let i = 0; i < 3_000; i++) backoff.next();
  expect(backoff.next()).toBe(30_000);
});
