import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentQuantile } from './recent-quantile.js';

function exact(values: readonly number[], q: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length - 1e-9) - 1)];
}

describe('RecentQuantile', () => {
  it('answers by nearest rank', () => {
    const recent = new RecentQuantile({ maxAgeMs: 1_000 });
    for (const value of [40, 10, 30, 20]) recent.add(0, value);
    expect([0, 0.25, 0.26, 0.5, 0.75, 0.76, 1].map((q) => recent.quantile(q, 0))).toEqual([
      10, 10, 20, 20, 30, 40, 40,
    ]);
  });

  it('keeps the last 128 unless told', () => {
    const recent = new RecentQuantile({ maxAgeMs: 1_000 });
    for (let value = 0; value < 1_000; value++) recent.add(0, value);
    expect(recent.quantile(0, 0)).toBe(872);
    expect(recent.quantile(1, 0)).toBe(999);
  });

  it('forgets by age, to the millisecond', () => {
    const recent = new RecentQuantile({ size: 4, maxAgeMs: 1_000 });
    recent.add(0, 9);
    recent.add(500, 5);
    expect(recent.quantile(1, 1_000)).toBe(9);
    expect(recent.quantile(1, 1_001)).toBe(5);
    expect(recent.quantile(1, 1_501)).toBeUndefined();
  });

  it('is empty after an idle hour', () => {
    const recent = new RecentQuantile({ maxAgeMs: 1_000 });
    expect(recent.quantile(0.5, 0)).toBeUndefined();
    for (let now = 0; now < 300; now++) recent.add(now, now);
    expect(recent.quantile(0.5, 3_600_000)).toBeUndefined();
    recent.add(3_600_000, 7);
    expect(recent.quantile(0, 3_600_000)).toBe(7);
    expect(recent.quantile(1, 3_600_000)).toBe(7);
  });

  const time = fc.constantFrom(0, 0, 1, 10, 120, 600);
  const q = fc.constantFrom(0.84, 0.84, 0.84, 0, 0.5, 0.999, 1);
  const anyValue = (value: fc.Arbitrary<number>) =>
    fc.array(fc.record({ gap: time, values: fc.array(value, { maxLength: 12, size: 'max' }), q }), {
      maxLength: 40,
      size: 'max',
    });

  it.each([
    ['few different', fc.nat(6)],
    ['some equal', fc.nat(30)],
    ['many different', fc.double({ noNaN: true })],
  ])('is the naive quantile of %s values', (_, value) => {
    fc.assert(
      fc.property(anyValue(value), fc.constantFrom(1, 2, 16, 50), (rounds, size) => {
        const recent = new RecentQuantile({ size, maxAgeMs: 500 });
        const seen: { at: number; value: number }[] = [];
        let now = 0;
        for (const round of rounds) {
          now += round.gap;
          for (const value of round.values) {
            recent.add(now, value);
            seen.push({ at: now, value });
          }
          const young = seen.slice(-size).filter((entry) => entry.at >= now - 500);
          const expected = exact(
            young.map((entry) => entry.value),
            round.q,
          );
          // Plain equality, for which -0 is 0.
          expect(recent.quantile(round.q, now) === expected).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('knows how many are smaller after it has gone up to a value that many are', () => {
    const recent = new RecentQuantile({ maxAgeMs: 1_000 });
    recent.add(0, 1);
    expect(recent.quantile(0.5, 0)).toBe(1);
    for (let i = 0; i < 5; i++) recent.add(0, 2);
    expect([0.5, 0].map((q) => recent.quantile(q, 0))).toEqual([2, 1]);
  });

  it('takes a late value as one of now', () => {
    const recent = new RecentQuantile({ maxAgeMs: 1_000 });
    recent.add(5_000, 1);
    recent.add(4_000, 2);
    expect(recent.quantile(1, 4_500)).toBe(2);
    expect(recent.quantile(1, 6_000)).toBe(2);
    expect(recent.quantile(1, 6_001)).toBeUndefined();
    const last = new RecentQuantile({ size: 1, maxAgeMs: 1_000 });
    last.add(5_000, 1);
    last.add(4_000, 2);
    expect(last.quantile(1, 6_000)).toBe(2);
  });

  it('passes over NaN', () => {
    const recent = new RecentQuantile({ size: 2, maxAgeMs: 1_000 });
    recent.add(0, 1);
    recent.add(0, 2);
    recent.add(0, Number.NaN);
    expect(recent.quantile(0, 0)).toBe(1);
    expect(recent.quantile(1, 0)).toBe(2);
  });

  it('refuses what is impossible', () => {
    expect(() => new RecentQuantile({ size: 0, maxAgeMs: 1 })).toThrow('size must be an integer >= 1, got 0');
    expect(() => new RecentQuantile({ maxAgeMs: 0 })).toThrow('maxAgeMs must be a finite number > 0, got 0');
    expect(() => new RecentQuantile({ maxAgeMs: 1 }).quantile(2, 0)).toThrow(
      'quantile must be from 0 to 1, got 2',
    );
  });

  it('gives the quantile it was made for without being told again', () => {
    const recent = new RecentQuantile({ maxAgeMs: 1_000, q: 0.9 });
    const median = new RecentQuantile({ maxAgeMs: 1_000 });
    expect(recent.value(0)).toBeUndefined();
    for (let value = 1; value <= 10; value++) {
      recent.add(0, value);
      median.add(0, value);
    }
    expect([recent.value(0), recent.quantile(0.5, 0), recent.value(0), median.value(0)]).toEqual([
      9, 5, 9, 5,
    ]);
    recent.add(1, 100);
    recent.add(1, 200);
    expect(recent.value(1)).toBe(100);
    expect(recent.value(1_001)).toBe(200);
    expect(() => new RecentQuantile({ maxAgeMs: 1, q: 2 })).toThrow('q must be from 0 to 1, got 2');
  });
});
