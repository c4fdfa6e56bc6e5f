import { describe, expect, it } from 'vitest';
import { report } from './coordinated.contract.js';
import { ownShare } from './own-share.js';
import { FITS, type QuotaLevels } from './quota-levels.js';
import { REPORT_STRIDE } from './usage-report.js';

const { POSITIVE_INFINITY } = Number;
const PLAIN = [POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 100];

function levels(rank: number, level: number, spare: readonly number[]): QuotaLevels {
  return {
    token: 1,
    sequence: 1,
    backends: 10,
    names: ['a'],
    rank: Uint8Array.of(rank),
    level: Float64Array.of(level),
    isHeld: Uint8Array.of(1),
    spare: Float64Array.from(spare),
  };
}

describe('ownShare', () => {
  const { rates } = report({ a: [50, 20, 30, 1] });
  const none = [POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY];

  it('is half as much again as what was granted here, of all criticalities together', () => {
    const held = levels(1, 5, [...none, 0]);
    expect(ownShare(held, 0, PLAIN, rates, 1)).toEqual({ rank: 1, level: 5, top: 3, share: 1.5 * 36 });
  });

  it('is that of an equal part where less was granted, or nothing reported', () => {
    const held = levels(1, 5, [...none, -20]);
    expect(ownShare(held, 0, PLAIN, rates, 0)).toEqual({ rank: 1, level: 5, top: 3, share: 15 });
    // What all those want who have no row is nobody's.
    const withOthers = rates.slice().fill(500, 0, REPORT_STRIDE);
    expect(ownShare(held, 0, PLAIN, withOthers, 0).share).toBe(15);
  });

  it('is that of its own row', () => {
    const two: QuotaLevels = {
      ...levels(3, FITS, [...none, 10, ...none, 40]),
      names: ['b', 'a'],
      rank: Uint8Array.of(3, 3),
      level: Float64Array.of(FITS, FITS),
      isHeld: Uint8Array.of(1, 1),
    };
    expect([0, 1].map((row) => ownShare(two, row, PLAIN, rates, 0).share)).toEqual([15 + 1, 15 + 4]);
  });

  it('is all that there is for one that fits, of its step, with an equal part of what is spare', () => {
    const fits = levels(3, Math.fround(FITS), [...none, 40]);
    const free = { rank: 0, level: POSITIVE_INFINITY };
    expect(ownShare(fits, 0, PLAIN, rates, 1)).toEqual({ ...free, top: 3, share: 1.5 * 101 + 4 });
    const step = levels(0, FITS, [1, POSITIVE_INFINITY, POSITIVE_INFINITY, 40]);
    const ladder = [6, POSITIVE_INFINITY, POSITIVE_INFINITY, 100];
    expect(ownShare(step, 0, ladder, rates, 0)).toEqual({ ...free, top: 0, share: 1.5 * 0.6 + 0.1 });
  });

  it('is none without a limit', () => {
    const unlimited = new Array(4).fill(POSITIVE_INFINITY);
    const held = levels(0, 5, [...none, POSITIVE_INFINITY]);
    expect(ownShare(held, 0, unlimited, rates, 1).share).toBe(POSITIVE_INFINITY);
  });
});
