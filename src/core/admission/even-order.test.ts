import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../evenly.contract.js';
import { EvenOrder } from './even-order.js';

const places = (count: number, order = new EvenOrder()) =>
  Array.from({ length: count }, () => order.next('CRITICAL'));

describe('an even order', () => {
  it('of any stretch, as many lie below a share as the share says, but for a few', () => {
    const long = places(20_000);
    fc.assert(
      fc.property(
        evenly(0, 1),
        fc.nat(10_000),
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 3 }),
        (share, from, length, step) => {
          const stretch = long.slice(from, from + length).filter((_, at) => at % step === 0);
          const below = stretch.filter((place) => place < share).length;
          // Chance would be off by √(share · (1 − share) · length): 35 of 5000.
          expect(Math.abs(below - share * stretch.length)).toBeLessThan(6);
        },
      ),
    );
  });

  it('of a few in a row, no two neighbours are twice as far apart as if all were at equal distances', () => {
    for (let count = 2; count <= 300; count++) {
      const sorted = places(count).toSorted((a, b) => a - b);
      const gaps = sorted.map((place, at) => (sorted[at + 1] ?? sorted[0]! + 1) - place);
      expect(count * Math.max(...gaps)).toBeLessThan(2);
    }
  });

  it('stays within [0, 1) for ever', () => {
    const order = new EvenOrder();
    for (let i = 0; i < 1_000_000; i++) {
      const place = order.next('SHEDDABLE');
      if (!(place >= 0 && place < 1)) throw new Error(`${place} after ${i}`);
    }
  });

  it('keeps criticalities apart', () => {
    const order = new EvenOrder();
    const alone = places(10);
    const mixed = alone.map(() => {
      order.next('SHEDDABLE');
      return order.next('CRITICAL');
    });
    expect(mixed).toEqual(alone);
  });
});
