import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../evenly.contract.js';
import { type AllocationAlgorithm, allocate, type Claim, grant } from './allocation.js';

const wants = (...list: number[]): Claim[] => list.map((want) => ({ wants: want }));
const by = (want: number, subclients: number): Claim => ({ wants: want, subclients });

// Not below 1e-9: what is divided are requests and CPU-seconds, and the smallest numbers there are have no digits to
// divide.
const amount = evenly(1e-9, 1e6);
const claim = fc.record({
  // Round numbers make ties and exact fits; others do not.
  wants: fc.oneof(fc.nat(200), amount),
  subclients: fc.integer({ min: 1, max: 50 }),
});
const claims = fc.array(claim, { minLength: 1, maxLength: 12 });
const capacity = fc.oneof(fc.nat(1_000), amount);
const divided = fc.constantFrom<AllocationAlgorithm>('proportional', 'fair');

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('allocate', () => {
  it.each<[AllocationAlgorithm, number, Claim[], number[]]>([
    ['fair', 120, wants(1000, 60, 10), [55, 55, 10]],
    ['fair', 120, wants(1000, 50, 10), [60, 50, 10]],
    ['fair', 120, [by(1000, 6), by(500, 4), by(200, 2)], [60, 40, 20]],
    ['fair', 1000, [by(2000, 10), by(500, 10), by(700, 30)], [200, 200, 600]],
    // Doorman's code gives the second 64 of the 47 it wants.
    ['fair', 100, wants(2, 47, 26, 8), [2, 47, 26, 8]],
    ['proportional', 120, wants(60, 60, 10), [55, 55, 10]],
    ['proportional', 120, [by(65, 3), by(45, 2), by(20, 1)], [60, 40, 20]],
    ['proportional', 120, wants(1000, 50, 10), [69.690722, 40.309278, 10]],
    ['proportional', 120, wants(60, 50, 10), [60, 50, 10]],
    // Each wants its equal share: nothing is left over, and nobody lacks anything.
    ['proportional', 120, wants(40, 40, 40), [40, 40, 40]],
    ['static', 100, wants(100, 10, 120), [100, 10, 100]],
    [
      'learn',
      100,
      [
        { wants: 30, has: 20 },
        { wants: 90, has: 90 },
      ],
      [20, 90],
    ],
  ])('%s, of %d: row %$ of the table', (algorithm, total, given, expected) => {
    const grants = allocate(algorithm, total, given);
    expect(grants).toHaveLength(expected.length);
    for (const [index, amount] of expected.entries()) expect(grants[index]).toBeCloseTo(amount, 6);
  });

  it('believes what a client says it has only up to what it wants and what there is', () => {
    const given = [{ wants: 30, has: 90 }, { wants: 1e9, has: 1e9 }, { wants: 5 }];
    expect(allocate('learn', 100, given)).toEqual([30, 100, 0]);
  });

  it('has nothing for nobody, and nothing of nothing', () => {
    for (const algorithm of ['static', 'proportional', 'fair', 'learn'] as const) {
      expect(allocate(algorithm, 100, [])).toEqual([]);
      expect(allocate(algorithm, 0, wants(5, 0))).toEqual([0, 0]);
    }
  });

  it('grants all that is wanted or all that there is, and nobody more than it wants', () => {
    fc.assert(
      fc.property(divided, capacity, claims, (algorithm, total, given) => {
        const grants = allocate(algorithm, total, given);
        for (const [index, amount] of grants.entries()) {
          expect(amount).toBeGreaterThanOrEqual(0);
          expect(amount).toBeLessThanOrEqual(given[index]!.wants);
        }
        const expected = Math.min(total, sum(given.map((one) => one.wants)));
        expect(Math.abs(sum(grants) - expected)).toBeLessThanOrEqual(1e-9 * expected + 1e-300);
      }),
    );
  });

  it('fair: nobody could get more without taking from one who has less for each subclient', () => {
    fc.assert(
      fc.property(capacity, claims, (total, given) => {
        const grants = allocate('fair', total, given);
        const each = grants.map((amount, index) => amount / given[index]!.subclients);
        const most = Math.max(...each);
        for (const [index, { wants: want }] of given.entries()) {
          const isContent = grants[index]! >= want;
          if (!isContent) expect(each[index]).toBeGreaterThanOrEqual(most * (1 - 1e-9));
        }
      }),
    );
  });

  it('proportional: an equal share at least, and the same part of what each lacks beyond it', () => {
    fc.assert(
      fc.property(capacity, claims, (total, given) => {
        const grants = allocate('proportional', total, given);
        const subclients = sum(given.map((one) => one.subclients));
        const equal = given.map((one) => (total * one.subclients) / subclients);
        const topUps: number[] = [];
        for (const [index, { wants: want }] of given.entries()) {
          const least = Math.min(want, equal[index]!);
          expect(grants[index]).toBeGreaterThanOrEqual(least * (1 - 1e-9));
          const lacking = want - equal[index]!;
          if (lacking > 1e-3 * want) topUps.push((grants[index]! - equal[index]!) / lacking);
        }
        for (const topUp of topUps) expect(topUp).toBeCloseTo(topUps[0]!, 5);
      }),
    );
  });

  it('does not depend on the order of the claims', () => {
    fc.assert(
      fc.property(divided, capacity, claims, (algorithm, total, given) => {
        const grants = allocate(algorithm, total, given);
        const reversed = allocate(algorithm, total, given.toReversed()).reverse();
        for (const [index, amount] of grants.entries()) expect(reversed[index]).toBeCloseTo(amount, 5);
      }),
    );
  });

  it('refuses what cannot be', () => {
    const odd = 'odd' as AllocationAlgorithm;
    expect(() => allocate(odd, 1, [])).toThrow(
      'algorithm must be one of static, proportional, fair, learn, got "odd"',
    );
    expect(() => allocate('fair', -1, [])).toThrow('capacity must be a finite number >= 0, got -1');
    expect(() => allocate('fair', 1, wants(Number.NaN))).toThrow(
      'wants must be a finite number >= 0, got NaN',
    );
    expect(() => allocate('fair', 1, [{ wants: 1, has: -2 }])).toThrow(
      'has must be a finite number >= 0, got -2',
    );
    expect(() => allocate('fair', 1, [by(1, 0)])).toThrow('subclients must be an integer from 1');
    expect(() => allocate('fair', 1, [by(1, 2e9)])).toThrow('subclients must be an integer from 1');
    expect(() => grant('fair', 1, wants(1), 1)).toThrow('asking must be an integer from 0 to 0, got 1');
  });
});

describe('grant', () => {
  it('gives a share, but nothing that others still hold', () => {
    const given = [{ wants: 1000 }, { wants: 50, has: 50 }, { wants: 10, has: 10 }];
    expect(grant('fair', 120, given, 0)).toBe(60);
    expect(grant('fair', 120, [given[0]!, { wants: 50, has: 100 }, given[2]!], 0)).toBe(10);
    // After the capacity was lowered others may hold more than there is.
    expect(grant('fair', 120, [given[0]!, { wants: 50, has: 500 }, given[2]!], 0)).toBe(0);
    expect(grant('proportional', 120, wants(1000, 50, 10), 1)).toBeCloseTo(40.309278, 6);
  });

  it('counts what the asking client itself holds as free', () => {
    expect(
      grant(
        'fair',
        100,
        [
          { wants: 80, has: 70 },
          { wants: 20, has: 20 },
        ],
        0,
      ),
    ).toBe(80);
  });

  it('leaves each its own when static or learning, whatever others hold', () => {
    const given = [
      { wants: 70, has: 60 },
      { wants: 100, has: 100 },
    ];
    expect(grant('static', 100, given, 0)).toBe(70);
    expect(grant('learn', 100, given, 0)).toBe(60);
  });

  it('never lets the sum exceed the capacity on the way, and has reached the shares after two rounds', () => {
    const change = fc.tuple(divided, capacity, claims, fc.array(capacity, { maxLength: 12 }));
    fc.assert(
      fc.property(change, ([algorithm, total, given, before]) => {
        // Any state that grants of the same capacity may have left.
        const held = given.map((_, index) => before[index] ?? 0);
        const scale = Math.min(1, total / (sum(held) || 1));
        const now = given.map((one, index) => ({ ...one, has: held[index]! * scale }));
        for (let round = 0; round < 2; round++) {
          for (let asking = 0; asking < now.length; asking++) {
            now[asking]!.has = grant(algorithm, total, now, asking);
            expect(sum(now.map((one) => one.has))).toBeLessThanOrEqual(total * (1 + 1e-9));
          }
        }
        const shares = allocate(algorithm, total, given);
        for (const [index, share] of shares.entries()) expect(now[index]!.has).toBeCloseTo(share, 5);
      }),
    );
  });
});
