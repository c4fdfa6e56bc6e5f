import { describe, expect, it } from 'vitest';
import { Respawns } from './respawns.js';

describe('a place whose worker dies', () => {
  it('is filled at once when it has lived for long', () => {
    const respawns = new Respawns();
    expect([1, 2, 3].map((n) => respawns.died(n * 100_000, n * 100_000 + 30_000))).toEqual([0, 0, 0]);
  });

  it('is filled later and later when they die young', () => {
    const respawns = new Respawns();
    const waits = Array.from({ length: 10 }, () => respawns.died(0, 29_999));
    expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(Array.from({ length: 100 }, () => respawns.died(0, 1)).at(-1)).toBe(30_000);
  });

  it('forgets early deaths when one lives', () => {
    const respawns = new Respawns({ oldMs: 10, firstMs: 5, mostMs: 20 });
    expect([0, 0, 10, 0, 0].map((age) => respawns.died(0, age))).toEqual([0, 5, 0, 0, 5]);
  });

  it('takes no nonsense', () => {
    expect(() => new Respawns({ firstMs: 0 })).toThrow('firstMs must be a finite number > 0, got 0');
    expect(() => new Respawns({ oldMs: -1 })).toThrow('oldMs');
    expect(() => new Respawns({ mostMs: Number.NaN })).toThrow('mostMs');
  });
});
