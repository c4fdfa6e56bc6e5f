import { expect, it } from 'vitest';
import { elapsedMs } from './elapsed.js';

it('is the time passed, and never negative', () => {
  expect(elapsedMs(1_000, 1_250)).toBe(250);
  expect(elapsedMs(1_250, 1_000)).toBe(0);
  expect(elapsedMs(Number.NEGATIVE_INFINITY, 0)).toBe(Number.POSITIVE_INFINITY);
});
