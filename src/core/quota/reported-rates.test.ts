import { describe, expect, it } from 'vitest';
import { RateGrid } from './rate-grid.js';
import { ReportedRates } from './reported-rates.js';
import { REPORT_STRIDE } from './usage-report.js';

const GRID = new RateGrid(100, 500);

function taken(rates: ReportedRates, slots: number): { used: number; demand: number; wasRefused: boolean } {
  const row = new Float32Array(2 * REPORT_STRIDE);
  const wasRefused = rates.take(row, REPORT_STRIDE, slots);
  return { used: row[REPORT_STRIDE + 2]!, demand: row[REPORT_STRIDE + 6]!, wasRefused };
}

describe('ReportedRates', () => {
  it('reports use as the mean since the last report, demand as a decaying one', () => {
    const rates = new ReportedRates(GRID);
    for (let slot = 0; slot < 100; slot++) {
      rates.add(2, 5, 15);
      rates.roll(1);
    }
    const steady = taken(rates, 100);
    expect(steady.used).toBeCloseTo(50, 3);
    expect(steady.demand).toBeCloseTo(200, 3);
    expect(steady.wasRefused).toBe(true);
    expect(rates.demandPerSecond).toBeCloseTo(200, 3);
    rates.roll(5);
    const later = taken(rates, 100);
    expect(later).toMatchObject({ used: 0, wasRefused: false });
    expect(later.demand).toBeCloseTo(200 / Math.E, 1);
  });

  it('is zero after an idle hour', () => {
    const rates = new ReportedRates(GRID);
    rates.add(2, 5, 15);
    expect(rates.isZero).toBe(false);
    rates.roll(36_000);
    expect(rates.isZero).toBe(true);
  });

  it('does not go below zero for what cost less than was assumed', () => {
    const rates = new ReportedRates(GRID);
    rates.add(2, -5, 0);
    expect(taken(rates, 1)).toEqual({ used: 0, demand: 0, wasRefused: false });
    expect(rates.demandPerSecond).toBe(0);
  });
});
