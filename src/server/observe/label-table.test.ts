import { describe, expect, it } from 'vitest';
import { LabelTable, OTHER_LABEL } from './label-table.js';

describe('a table of labels', () => {
  it('keeps one thing for each name', () => {
    const table = new LabelTable(() => ({ n: 0 }));
    table.of('a').n++;
    table.of('a').n++;
    table.of('b').n++;
    expect([...table.entries()]).toEqual([
      ['a', { n: 2 }],
      ['b', { n: 1 }],
    ]);
  });

  it('stays bounded, whoever comes: all further names share one', () => {
    const table = new LabelTable(() => ({ n: 0 }));
    for (let i = 0; i < 10_000; i++) table.of(`customer ${i}`).n++;
    const entries = [...table.entries()];
    expect(entries).toHaveLength(201);
    expect(entries.at(-1)).toEqual([OTHER_LABEL, { n: 9_800 }]);
  });
});
