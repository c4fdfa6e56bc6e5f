import { describe, expect, it } from 'vitest';
import { type MetricSource, type RuleTotals, SourceSum } from './source-sum.js';

function source(rules: (Partial<RuleTotals> & { rule: string })[], failed = 0, late = 0): MetricSource {
  const zeros = { allowed: 0, refused: 0, shadowRefused: 0, undecided: 0 };
  return {
    ruleTotals: () => rules.map((totals) => ({ ...zeros, ...totals })),
    storeTotals: () => ({ failed, late }),
  };
}

describe('SourceSum', () => {
  it('adds up what has one name', () => {
    const sum = new SourceSum();
    sum.add(source([{ rule: 'a', allowed: 5, refused: 2, waiting: 1 }, { rule: 'b' }], 3, 1));
    sum.add(source([{ rule: 'a', allowed: 7, shadowRefused: 1, undecided: 4, waiting: 2 }], 1, 1));
    expect([...sum.rules()]).toEqual([
      { rule: 'a', allowed: 12, refused: 2, shadowRefused: 1, undecided: 4, waiting: 3 },
      { rule: 'b', allowed: 0, refused: 0, shadowRefused: 0, undecided: 0 },
    ]);
    expect(sum.store()).toEqual({ failed: 4, late: 2 });
  });

  it('adds up what is queued, where something can be', () => {
    const sum = new SourceSum();
    sum.add(source([{ rule: 'a', queued: 5 }, { rule: 'b' }]));
    sum.add(source([{ rule: 'a', queued: 2 }]));
    expect([...sum.rules()].map(({ queued }) => queued)).toEqual([7, undefined]);
  });

  it('keeps what closed ones have counted, once, but nobody waiting', () => {
    const sum = new SourceSum();
    const gone = source([{ rule: 'a', allowed: 5, waiting: 3 }], 2, 1);
    sum.add(gone);
    sum.add(source([{ rule: 'a', allowed: 1, waiting: 0 }]));
    sum.remove(gone);
    sum.remove(gone);
    expect([...sum.rules()]).toMatchObject([{ rule: 'a', allowed: 6, waiting: 0 }]);
    expect(sum.store()).toEqual({ failed: 2, late: 1 });
    expect(sum.size).toBe(1);
  });

  it('stays bounded, however many there are', () => {
    const sum = new SourceSum();
    const many = (from: number) =>
      source(Array.from({ length: 300 }, (_, i) => ({ rule: `r${from + i}`, allowed: 1 })));
    const gone = many(0);
    sum.add(gone);
    sum.remove(gone);
    sum.add(many(1_000));
    const rules = [...sum.rules()];
    expect(rules).toHaveLength(201);
    expect(rules.at(-1)).toMatchObject({ rule: '(other)', allowed: 400 });
  });
});
