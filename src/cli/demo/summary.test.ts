import { describe, expect, it } from 'vitest';
import { spread } from '../../core/measuring/index.js';
import { LoadMeter } from './load/load-meter.js';
import { summaryOf } from './summary.js';
import { summaryText } from './summary-text.js';

function figures() {
  const meter = new LoadMeter(0);
  meter.count(0);
  for (let request = 0; request < 300; request++) {
    meter.offered('A', 'CRITICAL');
    meter.ended('A', 'CRITICAL', request < 90 ? 'served' : 'refused', 20);
  }
  for (const outcome of ['failed', 'late', 'late'] as const) {
    meter.offered('B', 'SHEDDABLE');
    meter.ended('B', 'SHEDDABLE', outcome, 5);
  }
  meter.turn(1_000);
  return meter.total;
}

const summary = summaryOf(figures(), { capacity: 100, peak: 0, used: spread([1, 0.5]), elsewhere: 0.12345 });

describe('summaryOf', () => {
  it('compares with what the fleet can serve', () => {
    expect(summary).toMatchObject({
      seconds: 1,
      capacity: 100,
      multiple: 3.03,
      offered: 303,
      goodput: 90,
      peak: 100,
      goodputOfPeak: 0.9,
      p99Ms: 20,
      refused: { CRITICAL: 210, CRITICAL_PLUS: 0, SHEDDABLE: 0, SHEDDABLE_PLUS: 0 },
      failed: 1,
      lateOrLost: 2,
      spread: { maxOverMean: 1.333 },
      elsewhere: 0.123,
    });
    const better = { capacity: 100, peak: 120, used: spread([]), elsewhere: 0 };
    expect(summaryOf(figures(), better).goodputOfPeak).toBe(0.75);
  });

  it('divides by nothing', () => {
    const nothing = { capacity: 0, peak: 0, used: spread([]), elsewhere: 0 };
    const empty = summaryOf(new LoadMeter(0).total, nothing);
    expect(empty).toMatchObject({ multiple: 0, goodput: 0, goodputOfPeak: 0 });
  });
});

it('is read by people', () => {
  const text = summaryText(summary);
  expect(text).toContain('goodput      90 of 303 a second, 90.0 % of the peak (100)');
  expect(text).toContain('elsewhere    12.3 % of this machine went to other programs');
  expect(text).toMatch(/^CRITICAL_PLUS +0 +0 +0 +–$/m);
  expect(text).toMatch(/^CRITICAL +300 +90 +210 +30.0 %$/m);
  expect(text).toMatch(/^B +3 +0 +0 +0.0 %$/m);
});
