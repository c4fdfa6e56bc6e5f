import { describe, expect, it } from 'vitest';
import { LevelRows } from './level-rows.js';

describe('LevelRows', () => {
  const [first, second] = [
    [1, 1, 1, 1],
    [2, 2, 2, 2],
  ];

  it('finds the row of each customer in the report, and its limits', () => {
    const rows = new LevelRows();
    rows.find(['b', 'stranger', 'a'], [undefined, 'a', 'b'], (name) => (name === 'a' ? first : second));
    expect([...rows.reported]).toEqual([2, 0, 1]);
    expect(rows.limits).toEqual([second, second, first]);
  });

  it('looks again when names are others, or limits, and not before', () => {
    const rows = new LevelRows();
    const [names, reported] = [
      ['a', 'b'],
      [undefined, 'a'],
    ];
    let asked = 0;
    const limitsOf = () => {
      asked++;
      return first;
    };
    for (let time = 0; time < 3; time++) rows.find(names, reported, limitsOf);
    expect(asked).toBe(2);
    rows.find(names, [undefined, 'b'], limitsOf);
    expect([[...rows.reported], asked]).toEqual([[0, 1], 2]);
    const [others, again] = [['b'], [undefined, 'b']];
    rows.find(others, again, limitsOf);
    expect([[...rows.reported], asked]).toEqual([[1], 3]);
    rows.find(others, again, () => second);
    expect(rows.limits).toEqual([second]);
  });
});
