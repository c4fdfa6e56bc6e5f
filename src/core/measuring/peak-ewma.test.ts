import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PeakDecayingAverage } from './peak-ewma.js';

const sample = fc.record({
  gap: fc.nat(300_000).map((tenths) => tenths / 10),
  value: fc.nat(10_000).map((tenths) => tenths / 10),
});

describe('PeakDecayingAverage', () => {
  it('jumps up at once and comes down over decayMs', () => {
    const peak = new PeakDecayingAverage();
    peak.observe(0, 10);
    peak.observe(1, 500);
    expect(peak.value(1)).toBe(500);
    // One default decay of 10 s later, 1/e of the distance is left.
    peak.observe(10_001, 10);
    expect(peak.value(10_001)).toBeCloseTo(10 + 490 / Math.E, 10);
  });

  it('hardly believes one good value right after a peak', () => {
    const peak = new PeakDecayingAverage({ decayMs: 1_000 });
    peak.observe(0, 500);
    peak.observe(1, 10);
    expect(peak.value(1)).toBeGreaterThan(499);
    peak.observe(1, 10);
    expect(peak.value(1)).toBeGreaterThan(499);
  });

  it('sinks towards 0 without news, and knows nothing after an idle hour', () => {
    const peak = new PeakDecayingAverage({ decayMs: 10_000 });
    expect(peak.value(0)).toBe(0);
    peak.observe(0, 100);
    expect(peak.value(10_000)).toBeCloseTo(100 / Math.E, 10);
    expect(peak.value(3_600_000)).toBe(0);
    peak.observe(3_600_000, 7);
    expect(peak.value(3_600_000)).toBeCloseTo(7, 10);
  });

  it('is never below the newest value nor above the largest', () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 50, size: 'max' }), (samples) => {
        const peak = new PeakDecayingAverage();
        let now = 0;
        let largest = 0;
        for (const { gap, value } of samples) {
          now += gap;
          largest = Math.max(largest, value);
          peak.observe(now, value);
          expect(peak.value(now)).toBeGreaterThanOrEqual(value);
          expect(peak.value(now)).toBeLessThanOrEqual(largest * (1 + 1e-12));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is the same however often it is read', () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 50, size: 'max' }), (samples) => {
        const read = new PeakDecayingAverage();
        const unread = new PeakDecayingAverage();
        let now = 0;
        for (const { gap, value } of samples) {
          read.value(now + gap / 2);
          now += gap;
          read.value(now);
          read.observe(now, value);
          unread.observe(now, value);
        }
        expect(read.value(now)).toBe(unread.value(now));
      }),
      { numRuns: 100 },
    );
  });

  it('takes a late value as one of now', () => {
    const peak = new PeakDecayingAverage({ decayMs: 1_000 });
    peak.observe(5_000, 100);
    peak.observe(4_000, 20);
    expect(peak.value(5_000)).toBe(100);
  });

  it('refuses an impossible decay', () => {
    expect(() => new PeakDecayingAverage({ decayMs: 0 })).toThrow(
      'decayMs must be a finite number > 0, got 0',
    );
  });
});
