import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rocksteadierOrder } from './rocksteadier-order.js';

function order(count: number, clientId: number, seed = 0): number[] {
  return [...rocksteadierOrder(count, clientId, seed)];
}

const counts = fc.integer({ min: 10, max: 400 });
const lots = fc.nat({ max: 2_000 });

describe('rocksteadier subsets', () => {
  it('the ten clients of a lot share no backend, as long as one row is enough', () => {
    fc.assert(
      fc.property(counts, lots, (count, clientLot) => {
        const size = Math.floor(count / 10);
        const subsets = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((k) =>
          order(count, clientLot * 10 + k).slice(0, size),
        );
        expect(new Set(subsets.flat()).size).toBe(10 * size);
      }),
    );
  });

  it('one turn of the ring holds at most one of each ten neighbours', () => {
    fc.assert(
      fc.property(counts, lots, (count, clientId) => {
        const turn = order(count, clientId).slice(0, Math.floor(count / 10));
        expect(new Set(turn.map((backend) => Math.floor(backend / 10))).size).toBe(turn.length);
      }),
    );
  });

  it('a backend that joins, with a new lot or without, slips in and changes nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), lots, (count, clientId) => {
        const after = order(count + 1, clientId);
        expect(after.filter((backend) => backend !== count)).toEqual(order(count, clientId));
      }),
    );
  });

  it('lots of clients begin at places spread over the ring', () => {
    // 32 lots of backends stand on 32 places: the first 32 lots of clients begin at one each.
    const begins = Array.from({ length: 32 }, (_, clientLot) =>
      Math.floor(order(320, clientLot * 10)[0]! / 10),
    );
    expect(begins).toEqual(Array.from({ length: 32 }, (_, lot) => lot));
    // 30 of 32: lots of clients 30 and 31 begin at the next one clockwise, the last of them past the end at 0.
    expect(Math.floor(order(300, 300)[0]! / 10)).toBe(1);
    expect(Math.floor(order(300, 310)[0]! / 10)).toBe(0);
  });

  it('shuffles each lot of backends apart for each lot of clients', () => {
    const row = (clientId: number) =>
      order(100, clientId)
        .slice(0, 10)
        .toSorted((a, b) => a - b)
        .map((backend) => backend % 10)
        .join('');
    const rows = [0, 10, 20, 30].map(row);
    expect(new Set(rows).size).toBe(4);
    for (const seats of rows) expect(new Set(seats).size).toBeGreaterThan(1);
  });
});
