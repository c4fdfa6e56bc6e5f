import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_WINDOW_MS, windowBeginMs } from './whole-numbers.js';

describe('windowBeginMs', () => {
  it('is exact, also just before a window begins', () => {
    const windows = fc.integer({ min: 1, max: MOST_WINDOW_MS });
    const instants = fc.maxSafeInteger().filter((ms) => ms >= 0);
    const nearly = fc.tuple(windows, fc.integer({ min: 1, max: 2 ** 40 }), fc.integer({ min: -1, max: 1 }));
    const check = (ms: number, windowMs: number) => {
      expect(windowBeginMs(ms, windowMs)).toBe(ms - (ms % windowMs));
    };
    fc.assert(fc.property(instants, windows, check));
    fc.assert(
      fc.property(nearly, ([windowMs, count, off]) => {
        const ms = windowMs * count + off;
        if (Number.isSafeInteger(ms)) check(ms, windowMs);
      }),
    );
  });
});
