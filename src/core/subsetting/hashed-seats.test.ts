import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectionsMoved, countConnections } from './connections.js';
import { hashedSeats } from './hashed-seats.js';

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `http://10.0.${i >> 8}.${i & 255}:8080`);
}

const FLEET = { algorithm: 'rocksteadier', size: 20, clientCount: 300 } as const;

describe('hashedSeats', () => {
  it('gives each backend one seat, the same in whatever order they come', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 200 }), (keys) => {
        const seats = hashedSeats(keys);
        expect(seats.filter((key) => key !== undefined).toSorted()).toEqual(keys.toSorted());
        expect(hashedSeats(keys.toReversed())).toEqual(seats);
      }),
    );
  });

  it('gives the same seats in every process and version: clients that disagreed would not share the load', () => {
    const row = hashedSeats([...'abcdefgh']).map((key) => key ?? '-');
    expect(row.join('')).toBe('fcbahge-------d-');
  });

  it('is a row that is never more than three quarters full, nor less than three eighths', () => {
    for (const count of [1, 2, 3, 4, 10, 96, 97, 300, 10_000]) {
      const { length } = hashedSeats(addresses(count));
      expect(count / length).toBeLessThanOrEqual(0.75);
      if (count > 1) expect(count / length).toBeGreaterThan(0.375);
    }
    expect(hashedSeats([])).toEqual([]);
  });

  it('moves few connections when one leaves or joins, wherever it is in the list', () => {
    const keys = addresses(300);
    const before = { ...FLEET, backends: hashedSeats(keys) };
    for (const gone of [0, 77, 150, 299]) {
      const after = { ...FLEET, backends: hashedSeats(keys.filter((_, i) => i !== gone)) };
      // 0.33 % are those of the one that left.
      expect(connectionsMoved(before, after).movedShare).toBeLessThan(0.015);
    }
    const joined = { ...FLEET, backends: hashedSeats([...keys, 'http://10.0.0.0:80']) };
    expect(connectionsMoved(before, joined).movedShare).toBeLessThan(0.015);
  });

  it('costs some balance: a fifth up and down, where random subsets have a half', () => {
    const backends = hashedSeats(addresses(300));
    const counts = countConnections({ ...FLEET, backends }).filter((_, seat) => backends[seat] !== undefined);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(15);
    expect(Math.max(...counts)).toBeLessThanOrEqual(25);
  });

  it('refuses the same backend twice', () => {
    expect(() => hashedSeats(['a', 'a'])).toThrow('backends must be distinct');
  });
});
