import { describe, expect, test } from 'vitest';
import { fixedLimit } from './concurrency-limit-algorithm.js';

describe('fixedLimit', () => {
  test('stays what it is', () => {
    const algorithm = fixedLimit(7);
    algorithm.onSample({ now: 1, inFlight: 7, isDone: true, latencyMs: 1_000 });
    expect(algorithm.limit).toBe(7);
  });

  test('refuses what is no limit', () => {
    expect(() => fixedLimit(0)).toThrow(new RangeError('limit must be an integer >= 1, got 0'));
    expect(() => fixedLimit(2.5)).toThrow('got 2.5');
  });
});
