import { describe, expect, it } from 'vitest';
import { atLeast, atMost, between, type Result } from '../../simulator/report/result.js';
import { renderCheckLines, renderResult } from './result-text.js';

const RESULT: Result = {
  scenario: 'sample',
  seed: 7,
  options: {},
  rows: [
    { section: 'by policy', policy: 'prequal', p99Ms: 12.3 },
    { section: 'by policy', policy: 'weighted', p99Ms: 45.6 },
    { backends: 300 },
    { section: 'by load', load: 1.5, refusedShare: 0.25 },
  ],
  checks: [atMost('p99 of prequal', 12.3, 15), atLeast('refused', 0.25, 0.3)],
};

describe('a result', () => {
  it('is a heading, its tables, its checks and whether they hold', () => {
    expect(renderResult(RESULT, 'prequal is quick', 120)).toBe(`sample · seed 7
prequal is quick

backends
────────
     300

by policy

policy    p99 ms
────────  ──────
prequal     12.3
weighted    45.6

by load

load  refused
────  ───────
1.50     25 %

✓ p99 of prequal  12.3  <= 15
✗ refused         0.25  >= 0.3
1 of 2 checks does not hold`);
  });

  it('is split where the terminal is narrow', () => {
    const rows = [{ policy: 'prequal', goodputPerSecond: 100, arrivalsPerSecond: 200 }];
    expect(renderResult({ ...RESULT, rows, checks: [] }, 'claim', 20)).toBe(`sample · seed 7
claim

policy   goodput/s
───────  ─────────
prequal        100

policy   arrivals/s
───────  ──────────
prequal         200

no checks`);
  });
});

describe('checks', () => {
  it('stand in line, and say enough when they fail', () => {
    expect(
      renderCheckLines([
        between('exactly one', 1, 1, 1),
        atMost('thirds', 1 / 3, 0.5),
        atMost('a bit too much', 1.100_000_4, 1.1),
        atLeast('many', 12_000, 10_000),
        atLeast('hundreds', 1_200.4, 1),
        atMost('nothing', Number.POSITIVE_INFINITY, 1),
      ]),
    ).toEqual([
      '✓ exactly one             1  = 1',
      '✓ thirds             0.3333  <= 0.5',
      '✗ a bit too much  1.1000004  <= 1.1',
      '✓ many               12 000  >= 10000',
      '✓ hundreds            1 200  >= 1',
      '✗ nothing                 ∞  <= 1',
    ]);
    expect(renderCheckLines([])).toEqual([]);
  });
});
