import { describe, expect, it } from 'vitest';
import { CAPACITY, MISHAPS, runMishaps } from './capacity-tree.contract.js';

/** Sums of 45 numbers are rounded. */
const MOST = CAPACITY * (1 + 1e-12);

describe('a tree of capacity servers', () => {
  it.each([1, 2, 3])(
    'with a mishap a minute for an hour hands out no more than there is, and nearly all: seed %d',
    (seed) => {
      const report = runMishaps(seed, 60, 60_000, (random) => MISHAPS[random.below(MISHAPS.length)]!);
      expect(report.most).toBeLessThanOrEqual(MOST);
      expect(report.mean).toBeGreaterThanOrEqual(0.96);
      expect(report.recoveryMs).toBeLessThanOrEqual(120_000);
    },
  );

  it.each(MISHAPS)('is back within two minutes when it is alone: %s', (mishap) => {
    const report = runMishaps(1, 6, 300_000, () => mishap);
    expect(report.most).toBeLessThanOrEqual(MOST);
    expect(report.mean).toBeGreaterThanOrEqual(0.98);
    expect(report.lowMs).toBeLessThanOrEqual(120_000);
  });
});
