import { describe, expect, it } from 'vitest';
import { evenShare, HeldShare } from './held-share.js';
import { LevelRows } from './level-rows.js';
import { FITS, type QuotaLevels } from './quota-levels.js';
import type { LimitLadder } from './quota-limits.js';
import { REPORT_STRIDE, type UsageReport } from './usage-report.js';

const { POSITIVE_INFINITY } = Number;

function report(rows: Record<string, readonly number[]>): UsageReport {
  const names = [undefined, ...Object.keys(rows)];
  const rates = new Float32Array(names.length * REPORT_STRIDE);
  for (const [index, demands] of Object.values(rows).entries())
    rates.set(demands, (index + 1) * REPORT_STRIDE + 4);
  return {
    names,
    namesVersion: 1,
    count: names.length,
    rates,
    refused: new Uint8Array(names.length),
    isSuspended: false,
  };
}

function levels(given: Partial<QuotaLevels>): QuotaLevels {
  return {
    token: 1,
    sequence: 4,
    backends: 10,
    names: ['a'],
    rank: Uint8Array.of(0),
    level: Float64Array.of(POSITIVE_INFINITY),
    isHeld: Uint8Array.of(0),
    spare: Float64Array.of(POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 40),
    ...given,
  };
}

function keep(
  share: HeldShare,
  heard: QuotaLevels,
  { names, rates }: UsageReport,
  limitsOf: () => LimitLadder,
  now: number,
): void {
  const rows = new LevelRows();
  rows.find(heard.names, names, limitsOf);
  share.keep(heard, rows, rates, now);
}

const WHOLE = [POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 100];

describe('HeldShare', () => {
  it('is what was granted here, and an equal part of what was spare', () => {
    const share = new HeldShare();
    keep(share, levels({}), report({ a: [1, 2, 3, 4] }), () => WHOLE, 0);
    expect(share.of('a', WHOLE)[3]).toBe(10 + 4);
    // Nothing is reported of it here any more: for long, so that the average is that too.
    keep(share, levels({}), report({}), () => WHOLE, 1e9);
    expect(share.of('a', WHOLE)[3]).toBe(4);
    // Nobody wants anything of it anywhere.
    expect(share.of('stranger', WHOLE)).toEqual([
      POSITIVE_INFINITY,
      POSITIVE_INFINITY,
      POSITIVE_INFINITY,
      10,
    ]);
  });

  it('grants at the rank in part up to the level, and below it nothing', () => {
    const share = new HeldShare();
    const spare = Float64Array.of(5, 10, POSITIVE_INFINITY, 0);
    const held = { rank: Uint8Array.of(1), level: Float64Array.of(7), isHeld: Uint8Array.of(1), spare };
    const limits = [20, 30, POSITIVE_INFINITY, 100];
    keep(share, levels(held), report({ a: [100, 50, 3, 4] }), () => limits, 0);
    expect(share.of('a', limits)).toEqual([0.5, 7 + 1, POSITIVE_INFINITY, 14]);
    // A step that was configured since.
    expect(share.of('a', [20, 30, 50, 100])[2]).toBe(5);
    // Or limits that are others: all parts with them, so that they add up to those.
    expect(share.of('a', [20, 30, 50, 2])[3]).toBe(0.28);
    expect(share.of('a', [20, 30, 50, 1_000])[3]).toBe(140);
  });

  it('is an equal part where nothing could be used before', () => {
    const share = new HeldShare();
    keep(share, levels({}), report({ a: [0, 0, 0, 5] }), () => [0, 0, 0, 0], 0);
    expect(share.of('a', WHOLE)[3]).toBe(10);
  });

  it('grants all to one that fits and is held', () => {
    const share = new HeldShare();
    const fits = { rank: Uint8Array.of(3), level: Float64Array.of(FITS), isHeld: Uint8Array.of(1) };
    keep(share, levels(fits), report({ a: [1, 2, 3, 4] }), () => WHOLE, 0);
    expect(share.of('a', WHOLE)[3]).toBe(10 + 4);
  });

  it('grants all of what is more critical than the rank in part, and nothing of what others want', () => {
    const share = new HeldShare();
    const spare = Float64Array.of(POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 0);
    const held = { rank: Uint8Array.of(1), level: Float64Array.of(7), isHeld: Uint8Array.of(1), spare };
    keep(share, levels(held), report({ a: [100, 50, 30, 20] }), () => WHOLE, 0);
    expect(share.of('a', WHOLE)[3]).toBe(7 + 30 + 20);
    // Those who have no row in the report are in its first.
    const silent = new HeldShare();
    const others = report({});
    others.rates.fill(9);
    keep(silent, levels({}), others, () => WHOLE, 0);
    expect(silent.of('a', WHOLE)[3]).toBe(4);
  });

  it('keeps the parts of each apart, also when others come and they change places', () => {
    const share = new HeldShare();
    const limits = [40, POSITIVE_INFINITY, POSITIVE_INFINITY, 100];
    const of = (names: string[]) => {
      const rows = names.length;
      return levels({
        names,
        rank: new Uint8Array(rows),
        level: new Float64Array(rows).fill(POSITIVE_INFINITY),
        isHeld: new Uint8Array(rows),
        spare: Float64Array.from(names.flatMap(() => [20, POSITIVE_INFINITY, POSITIVE_INFINITY, 40])),
      });
    };
    const wanted = report({ a: [1, 0, 0, 9], b: [2, 0, 0, 18], c: [3, 0, 0, 27] });
    keep(share, of(['a', 'b', 'c']), wanted, () => limits, 0);
    const parts = () => ['a', 'b', 'c'].map((name) => [0, 3].map((top) => share.of(name, limits)[top]));
    const expected = [
      [1 + 2, 10 + 4],
      [2 + 2, 20 + 4],
      [3 + 2, 30 + 4],
    ];
    expect(parts()).toEqual(expected);
    // No time has passed: averages are what they were.
    const changed = report({ a: [30, 0, 0, 0], b: [30, 0, 0, 0], c: [30, 0, 0, 0], d: [4, 0, 0, 36] });
    keep(share, of(['d', 'c', 'b', 'a']), changed, () => limits, 0);
    expect(parts()).toEqual(expected);
    expect(share.of('d', limits)).toEqual([4 + 2, POSITIVE_INFINITY, POSITIVE_INFINITY, 40 + 4]);
  });

  it('follows limits that are lifted, and steps that were known to the coordinator first', () => {
    const share = new HeldShare();
    const spare = Float64Array.of(POSITIVE_INFINITY, POSITIVE_INFINITY, 30, 0);
    keep(share, levels({ spare }), report({}), () => WHOLE, 0);
    expect(share.of('a', WHOLE)[3]).toBe(0);
    expect(share.of('a', [...WHOLE.slice(0, 3), POSITIVE_INFINITY])[3]).toBe(POSITIVE_INFINITY);
    expect(share.of('a', [POSITIVE_INFINITY, POSITIVE_INFINITY, 50, 100])[2]).toBe(50 / 10);
  });

  it('gives back in proportion what was granted beyond the limit', () => {
    const share = new HeldShare();
    const spare = Float64Array.of(POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, -25);
    keep(share, levels({ spare, level: Float64Array.of(10) }), report({ a: [50, 0, 0, 0] }), () => WHOLE, 0);
    expect(share.of('a', WHOLE)[3]).toBe(8);
  });

  it('keeps what had been reported, whatever becomes of the report', () => {
    const share = new HeldShare();
    const last = report({ a: [0, 0, 10, 0], b: [0, 0, 20, 0] });
    keep(share, levels({}), last, () => WHOLE, 0);
    last.rates.fill(0);
    expect(share.of('a', WHOLE)[3]).toBe(14);
    expect(share.levels?.backends).toBe(10);
  });

  it('begins with the first that tell of everybody', () => {
    const share = new HeldShare();
    const names = ['a'];
    keep(
      share,
      levels({ names, sequence: 5, told: Uint16Array.of(0) }),
      report({ a: [0, 0, 20, 0] }),
      () => WHOLE,
      0,
    );
    expect(share.of('a', WHOLE)).toEqual(evenShare(WHOLE, 1 / share.levels!.backends));
    keep(share, levels({ names, sequence: 6 }), report({ a: [0, 0, 20, 0] }), () => WHOLE, 250);
    expect(share.of('a', WHOLE)[3]).toBeGreaterThan(20);
  });

  it('goes on with what it had while names are the same', () => {
    const share = new HeldShare();
    const names = ['a'];
    keep(share, levels({ names }), report({ a: [0, 0, 20, 0] }), () => WHOLE, 0);
    keep(share, levels({ names }), report({ a: [0, 0, 10, 0] }), () => WHOLE, 10_000);
    expect(share.of('a', WHOLE)[3]).toBeCloseTo(14 + 10 / Math.E, 6);
  });

  it('is an average of 10 s, and begins anew for who was gone', () => {
    const share = new HeldShare();
    const [much, little] = [report({ a: [0, 0, 20, 0] }), report({ a: [0, 0, 10, 0] })];
    keep(share, levels({}), much, () => WHOLE, 0);
    keep(share, levels({}), little, () => WHOLE, 10_000);
    expect(share.of('a', WHOLE)[3]).toBeCloseTo(14 + 10 / Math.E, 6);
    keep(share, levels({ names: [] }), little, () => WHOLE, 10_000);
    keep(share, levels({}), little, () => WHOLE, 10_000);
    expect(share.of('a', WHOLE)[3]).toBe(14);
    // Not each is looked at.
    keep(share, levels({ sequence: 5 }), much, () => WHOLE, 90_000);
    expect(share.of('a', WHOLE)[3]).toBe(14);
    // The coordinator comes to know another step, and forgets it.
    const steps = Float64Array.of(POSITIVE_INFINITY, POSITIVE_INFINITY, 30, 40);
    const ladder = [1, 1, 50, 100];
    keep(share, levels({ spare: steps }), little, () => ladder, 10_000);
    expect(share.of('a', ladder)).toEqual([0.1, 0.1, 13, 14]);
    keep(share, levels({}), little, () => ladder, 10_000);
    expect(share.of('a', ladder)[2]).toBe(5);
  });
});

describe('evenShare', () => {
  it('divides each step, and leaves no limit as it is', () => {
    expect(evenShare([5, POSITIVE_INFINITY, 20, 100], 0.1)).toEqual([0.5, POSITIVE_INFINITY, 2, 10]);
    expect(evenShare([POSITIVE_INFINITY], 0)).toEqual([POSITIVE_INFINITY]);
  });
});
