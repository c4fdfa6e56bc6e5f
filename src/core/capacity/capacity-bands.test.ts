import { describe, expect, it } from 'vitest';
import { addBands, cutBands, subclientsOf, wantsOf } from './capacity-bands.js';

const band = (priority: number, wants: number, subclients: number) => ({ priority, wants, subclients });

describe('bands', () => {
  it('are added up by priority, the highest first', () => {
    const sum = addBands([band(0, 5, 1), band(3, 2, 4), band(0, 7, 2)]);
    expect(sum).toEqual([band(3, 2, 4), band(0, 12, 3)]);
    expect([wantsOf(sum), subclientsOf(sum)]).toEqual([14, 7]);
    expect([wantsOf([]), subclientsOf([])]).toEqual([0, 0]);
  });

  it('speak for a million at the most', () => {
    expect(addBands([band(0, 1, 900_000), band(0, 1, 900_000)])).toEqual([band(0, 2, 1_000_000)]);
  });

  it('are cut from the end', () => {
    expect(cutBands([band(3, 5, 1), band(1, 5, 2), band(0, 5, 3)], 7)).toEqual([
      band(3, 5, 1),
      band(1, 2, 2),
      band(0, 0, 3),
    ]);
  });
});
