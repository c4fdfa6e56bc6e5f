import { describe, expect, it } from 'vitest';
import { BackendRows } from './backend-rows.js';
import { report } from './coordinated.contract.js';
import { REPORT_STRIDE } from './usage-report.js';

describe('BackendRows', () => {
  it('keeps a copy: reports are overwritten', () => {
    const rows = new BackendRows();
    const first = report({ a: 5 });
    rows.take(first, 7);
    first.rates.fill(0);
    expect(rows.rates[REPORT_STRIDE + 2]).toBe(5);
    expect(rows).toMatchObject({ heardMs: 7, count: 2, isSuspended: false });
  });

  it('looks names up when they are others, or places are', () => {
    const asked: string[] = [];
    const placeOf = (name: string) => asked.push(name) - 1;
    const rows = new BackendRows();
    const first = report({ a: 1, b: 2 });
    rows.take(first, 0);
    rows.locate(0, placeOf);
    expect([...rows.places]).toEqual([-1, 0, 1]);
    rows.take(first, 250);
    rows.locate(0, placeOf);
    expect(asked).toHaveLength(2);
    rows.locate(1, placeOf);
    expect(asked).toHaveLength(4);
    rows.take(report({ c: 1 }), 500);
    rows.locate(1, placeOf);
    expect(asked).toEqual(['a', 'b', 'a', 'b', 'c']);
    expect(rows.count).toBe(2);
  });
});
