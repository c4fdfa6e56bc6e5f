import { describe, expect, it } from 'vitest';
import { type Column, columnsOf, countKeys } from './columns.js';

/** Line by line, headings first. */
function linesOf(columns: readonly Column[]): string[] {
  const all = columns.map(({ heading, cells }) => [heading, ...cells]);
  return all[0]!.map((_, line) => all.map((column) => column[line]).join('|'));
}

describe('columns', () => {
  it('have the fields as headings, with their units', () => {
    const rows = [
      { section: 'a', policy: 'prequal', p99Ms: 12.34, refusedShare: 0.5, isFair: true, worstKey: null },
      { section: 'a', policy: 'weighted', p99Ms: 123.4, refusedShare: 0.123, isFair: false, worstKey: 'x' },
    ];
    const columns = columnsOf(rows);
    expect(linesOf(columns)).toEqual([
      'policy|p99 ms|refused|is fair|worst key',
      'prequal|12|50.0 %|yes|–',
      'weighted|123|12.3 %|no|x',
    ]);
    expect(columns.map(({ isText }) => isText)).toEqual([true, false, false, true, true]);
  });

  it('are blank where a row has no such field', () => {
    const rows = [{ a: 1 }, { a: 2, b: 3 }, { c: 'x' }];
    expect(linesOf(columnsOf(rows))).toEqual(['a|b|c', '1||', '2|3|', '||x']);
  });

  it('show a spread as a bar before its numbers', () => {
    const rows = [
      { policy: 'a', minOverMean: 0, maxOverMean: 2 },
      { policy: 'b', minOverMean: 1, maxOverMean: 1 },
      { policy: 'c', minOverMean: null, maxOverMean: null },
    ];
    const columns = columnsOf(rows);
    expect(linesOf(columns)).toEqual([
      'policy|0 … 2 × mean|min/mean|max/mean',
      'a|━━━━━━━━━━━━━━━┿━━━━━━━━━━━━━━━|0|2',
      'b|···············┿···············|1|1',
      'c||–|–',
    ]);
    expect(columns.map(({ isDrawing = false }) => isDrawing)).toEqual([false, true, false, false]);
  });

  it('stretch the bar for a greater spread, and have none for half a range', () => {
    const [, bar, ...rest] = columnsOf([{ policy: 'a', maxOverMean: 3.5, minOverMean: 0.5 }]);
    expect(bar!.heading).toBe('0 … 4 × mean');
    expect(rest.map(({ joinsPrevious }) => joinsPrevious)).toEqual([true, true]);
    expect(bar!.cells[0]!.lastIndexOf('━')).toBe(26);
    expect(columnsOf([{ maxOverMean: 3.5 }]).map(({ heading }) => heading)).toEqual(['max/mean']);
  });
});

describe('keys', () => {
  const keysOf = (...rows: Record<string, string | number>[]) => countKeys(columnsOf(rows));

  it('are the first columns that tell rows apart', () => {
    expect(keysOf({ policy: 'a', load: 1 }, { policy: 'b', load: 1 })).toBe(1);
    expect(keysOf({ policy: 'a', load: 1, x: 1 }, { policy: 'a', load: 2, x: 1 })).toBe(2);
    expect(keysOf({ a: 1, b: 1, c: 1, d: 1 }, { a: 1, b: 1, c: 2, d: 2 })).toBe(3);
  });

  it('are the first column alone when nothing tells them apart', () => {
    expect(keysOf({ a: 1, b: 1, c: 1, d: 1 }, { a: 1, b: 1, c: 1, d: 2 })).toBe(1);
    expect(keysOf({ a: 1 }, { a: 1 })).toBe(1);
    expect(countKeys([])).toBe(1);
  });
});
