import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenlyBelow1 } from '../../core/evenly.contract.js';
import { BACKOFF_DEFAULTS, Backoff } from './backoff.js';

/** Neither shorter nor longer than the mean. */
const middle = () => 0.5;

function waits(backoff: Backoff, count: number): number[] {
  return Array.from({ length: count }, () => backoff.next());
}

describe('Backoff', () => {
  it('grows from the first wait to the longest', () => {
    const backoff = new Backoff(middle, { firstMs: 100, factor: 2, mostMs: 500 });
    expect(waits(backoff, 5)).toEqual([100, 200, 400, 500, 500]);
  });

  it('begins anew when it worked', () => {
    const backoff = new Backoff(middle, { firstMs: 100, factor: 2 });
    waits(backoff, 3);
    backoff.reset();
    expect(waits(backoff, 2)).toEqual([100, 200]);
  });

  it('is never longer than the longest, also when the first would be', () => {
    expect(waits(new Backoff(middle, { firstMs: 100, mostMs: 50 }), 2)).toEqual([50, 50]);
  });

  it('spreads by the share that it is told, either way', () => {
    const options = { firstMs: 100, factor: 1, jitter: 0.25 };
    expect(new Backoff(() => 0, options).next()).toBe(75);
    expect(new Backoff(() => 1 - 2 ** -53, options).next()).toBeCloseTo(125);
    expect(new Backoff(() => 0, { ...options, jitter: 0 }).next()).toBe(100);
  });

  it('never waits outside of what its options say, after however many failures', () => {
    fc.assert(
      fc.property(fc.array(evenlyBelow1()), (chances) => {
        let at = 0;
        const backoff = new Backoff(() => chances[at++]!);
        for (const waitMs of waits(backoff, chances.length)) {
          expect(waitMs).toBeGreaterThanOrEqual(BACKOFF_DEFAULTS.firstMs * 0.5);
          expect(waitMs).toBeLessThanOrEqual(BACKOFF_DEFAULTS.mostMs * 1.5);
        }
      }),
    );
  });

  it.each([
    [{ firstMs: 0 }, 'firstMs must be a finite number > 0, got 0'],
    [{ factor: 0.9 }, 'factor must be from 1 to 100, got 0.9'],
    [{ factor: 101 }, 'factor must be from 1 to 100, got 101'],
    [{ mostMs: Number.NaN }, 'mostMs must be a finite number > 0, got NaN'],
    [{ jitter: 1.1 }, 'jitter must be from 0 to 1, got 1.1'],
    [{ jitter: -0.1 }, 'jitter must be from 0 to 1, got -0.1'],
    [{ longest: 1 }, 'backoff has no option "longest"'],
  ])('refuses %j', (options, message) => {
    expect(() => new Backoff(middle, options as object)).toThrow(RangeError);
    expect(() => new Backoff(middle, options as object)).toThrow(message);
  });
});
