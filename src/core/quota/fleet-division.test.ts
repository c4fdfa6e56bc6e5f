import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from './allocation.js';
import { coordinator, LIMITS, report, rowOf, settled } from './coordinated.contract.js';
import { HeldShare } from './held-share.js';
import { LevelRows } from './level-rows.js';
import { QuotaCoordinator } from './quota-coordinator.js';
import { FITS } from './quota-levels.js';
import { LimitBook, type QuotaLimits } from './quota-limits.js';
import { RANKS } from './rank-line.js';

const { POSITIVE_INFINITY } = Number;
const CRITICAL = 2;

describe('FleetDivision', () => {
  it('restrains nobody who is within its limit, and says what is spare', () => {
    const levels = settled(coordinator(), [report({ a: 90, b: 30, c: 1 }), report({ b: 5 })]);
    expect(levels).toMatchObject({ token: 7, sequence: 41, backends: 2, names: ['a', 'b'] });
    const free = { rank: 0, level: POSITIVE_INFINITY, isHeld: 0 };
    expect(rowOf(levels, 'a')).toMatchObject(free);
    expect(rowOf(levels, 'a').spare).toEqual([POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 10]);
    expect(rowOf(levels, 'b')).toMatchObject(free);
    expect(rowOf(levels, 'b').spare[3]).toBe(65);
    // Who wants less than half of its equal part everywhere is not worth a row.
    expect(levels.names).not.toContain('c');
  });

  it('lists who wants half of its equal part somewhere, until it wants a quarter', () => {
    const made = coordinator();
    const namesAt = (demand: number) => settled(made, [report({ a: demand }), report({})], 250).names;
    expect([24, 26, 24, 13, 12, 24].map((demand) => namesAt(demand).includes('a'))).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('lists who was silent by what it wants now', () => {
    const made = coordinator();
    const namesAt = (demand: number) => settled(made, [report({ a: demand }), report({})], 250).names;
    expect([26, 0, 24].map((demand) => namesAt(demand).includes('a'))).toEqual([true, false, false]);
  });

  it('holds one that is over it to a level, when it has spent what it saved up', () => {
    const made = coordinator();
    const reports = [report({ a: 200 }, { a: 150 }), report({ a: 10 })];
    const first = settled(made, reports, 500);
    // Not yet, but if nobody is heard any more: 90 and 10.
    expect(rowOf(first, 'a')).toMatchObject({ rank: CRITICAL, level: 90, isHeld: 0 });
    expect(made.snapshot(0).customers).toMatchObject([{ customer: 'a', savings: 200 - 0.5 * 60 }]);
    // Demand decays, use does not: that they differ does not mean that something is refused.
    expect(made.snapshot(0).customers[0]!.refusedPerSecond).toBe(0);
    const refused = [report({ a: 200 }, { a: 150 }, true), reports[1]!];
    const held = settled(made, refused, 4_000);
    expect(rowOf(held, 'a')).toMatchObject({ rank: CRITICAL, isHeld: 1 });
    expect(made.snapshot(0)).toMatchObject({
      token: 7,
      backends: 2,
      isLearning: false,
      customers: [
        { limitPerSecond: 100, usedPerSecond: 160, demandPerSecond: 210, refusedPerSecond: 50, isHeld: true },
      ],
    });
  });

  it('takes from the room what is used too much all the same, and lets go when it wants less', () => {
    const made = coordinator();
    const over = [report({ a: 300 }, { a: 110 })];
    settled(made, over, 20_000);
    const later = settled(made, over, 12_000);
    // 10 a second too much: down until its bound, three quarters of the limit.
    expect(rowOf(later, 'a').level).toBeCloseTo(25, 6);
    const under = settled(made, [report({ a: 300 }, { a: 50 })], 12_000);
    expect(rowOf(under, 'a').level).toBeCloseTo(125, 6);
    expect(rowOf(under, 'a').spare[3]).toBeCloseTo(-25, 6);
    expect(rowOf(settled(made, [report({ a: 80 })], 250), 'a')).toMatchObject({ isHeld: 0 });
  });

  it('names who is held also while it is quiet: the next request may be as dear as the last', () => {
    const made = coordinator();
    settled(made, [report({ a: 2_000 })], 500);
    const quiet = settled(made, [report({ b: 1 })], 2_000);
    expect(rowOf(quiet, 'a')).toMatchObject({ isHeld: 1, level: FITS });
    expect(settled(made, [report({ b: 1 })], 20_000).names).not.toContain('a');
  });

  it('refuses all of who may use nothing', () => {
    const limits = {
      customers: [{ customer: 'a', perSecond: 0 }],
      everyoneElse: { perSecond: POSITIVE_INFINITY },
    };
    const levels = settled(coordinator({}, limits), [report({ a: 5, b: 1e9 })], 0);
    expect(rowOf(levels, 'a')).toMatchObject({ rank: 3, level: 0, isHeld: 1 });
    expect(levels.names).toEqual(['a']);
  });

  it('does not list who may use nothing and wants nothing', () => {
    const limits = { customers: [{ customer: 'a', perSecond: 0 }], everyoneElse: { perSecond: 100 } };
    const made = coordinator({}, limits);
    expect(settled(made, [report({ a: 5 })], 250).names).toEqual(['a']);
    expect(settled(made, [report({ a: 0 })], 250).names).toEqual([]);
  });

  it('is strict by criticality over the whole fleet', () => {
    const limits: QuotaLimits = { everyoneElse: { perSecond: 100, upTo: { SHEDDABLE: 20 } } };
    const made = coordinator({ burstMs: 0 }, limits);
    const levels = settled(made, [report({ a: [50, 40, 30, 0] }), report({ a: [0, 40, 30, 5] })], 0);
    // 65 pass; of the 80 the next want 35 are left; nothing of the sheddable ones, at neither backend.
    expect(rowOf(levels, 'a')).toMatchObject({ rank: 1, level: 17.5, isHeld: 1 });
    expect(rowOf(levels, 'a').spare).toEqual([20, POSITIVE_INFINITY, POSITIVE_INFINITY, 0]);
  });

  it('divides what one wants and nothing of what others want, however many there are', () => {
    const made = coordinator({ burstMs: 0 });
    expect(rowOf(settled(made, [report({ z: 300 }), report({})], 0), 'z').level).toBe(100);
    const c = [40, 0, 0, 0];
    const backends = [report({ a: 200, b: 300, c, d: 70 }), report({ a: 200, c, d: 70 })];
    const levels = settled(made, backends, 0);
    expect(['a', 'b', 'd'].map((name) => rowOf(levels, name).level)).toEqual([50, 100, 50]);
    expect(rowOf(levels, 'c').level).toBe(POSITIVE_INFINITY);
  });

  it('says what is used and wanted, also by those who are not told apart', () => {
    const made = coordinator();
    const row = [5, 6, 7, 8];
    const mixed = report({ a: [10, 20, 30, 40], b: row }, { a: [1, 2, 3, 4], b: row });
    mixed.rates.set([1, 2, 3, 4, 10, 20, 30, 40]);
    settled(made, [mixed, mixed], 0);
    const { customers, everyoneElse } = made.snapshot(0);
    expect(everyoneElse).toEqual({ usedPerSecond: 20, demandPerSecond: 200 });
    expect(customers).toMatchObject([
      { customer: 'a', usedPerSecond: 20, demandPerSecond: 200 },
      { customer: 'b', usedPerSecond: 52, demandPerSecond: 52 },
    ]);
    // Who is silent is not shown.
    settled(made, [report({ b: 1 }), report({})], 250);
    expect(made.snapshot(0).customers.map(({ customer }) => customer)).toEqual(['b']);
  });

  it('divides max-min fairly, never more than the limit, and strictly by rank', () => {
    const demands = fc.array(fc.nat(100), { minLength: RANKS, maxLength: RANKS });
    const step = fc.nat(400);
    fc.assert(
      fc.property(fc.array(demands, { minLength: 1, maxLength: 12 }), step, step, (backends, one, other) => {
        const [sheddable, all] = [Math.min(one, other), Math.max(one, other)];
        const limits: QuotaLimits = { everyoneElse: { perSecond: all, upTo: { SHEDDABLE: sheddable } } };
        const made = coordinator({ burstMs: 0 }, limits);
        const reports = backends.map((rows) => report({ a: rows }));
        const levels = settled(made, reports, 0);
        if (levels.names.length === 0) return;
        const { rank, level } = rowOf(levels, 'a');
        const sumOf = (at: number) => backends.reduce((sum, rows) => sum + rows[at]!, 0);
        // A naive division: from the most critical down, what is left is divided fairly.
        let left = all;
        for (let at = RANKS - 1; at >= 0; at--) {
          const room = at === 0 ? Math.min(left, sheddable) : left;
          const fair = allocate(
            'fair',
            room,
            backends.map((rows) => ({ wants: rows[at]! })),
          );
          const granted = backends.map((rows) =>
            at > rank! ? rows[at]! : at < rank! ? 0 : Math.min(rows[at]!, level!),
          );
          for (const [index, part] of granted.entries()) expect(part).toBeCloseTo(fair[index]!, 3);
          left -= Math.min(sumOf(at), room);
        }
        // Parts in holding add up to the limits at most.
        const ladder = new LimitBook(limits).of('a');
        const sums = [0, 0, 0, 0];
        for (const each of reports) {
          const [share, rows] = [new HeldShare(), new LevelRows()];
          rows.find(levels.names, each.names, () => ladder);
          share.keep(levels, rows, each.rates, 0);
          for (const [top, part] of share.of('a', ladder).entries()) sums[top]! += part;
        }
        expect(sums[0]).toBeLessThanOrEqual(sheddable * (1 + 1e-5) + 1e-5);
        expect(sums[3]).toBeLessThanOrEqual(all * (1 + 1e-5) + 1e-5);
      }),
    );
  });

  it('has the same names, and not a copy, as long as they are the same', () => {
    const made = new QuotaCoordinator(LIMITS);
    made.begin(1, 1, 0);
    const namesAt = (now: number, wants: Record<string, number>) => {
      made.report('x', report(wants, wants), 0, now);
      return made.divide(now)!.names;
    };
    const first = namesAt(0, { a: 300, b: 300 });
    expect(first).toEqual(['a', 'b']);
    expect(namesAt(250, { b: 310, a: 290 })).toBe(first);
    expect(namesAt(500, { a: 300, b: 300, c: 300 })).toEqual(['a', 'b', 'c']);
    expect(first).toEqual(['a', 'b']);
    made.begin(2, 1, 500);
    expect(namesAt(500, { a: 300, c: 300 })).toEqual(['a', 'c']);
    made.begin(3, 1, 750);
    expect(namesAt(750, { a: 300, d: 300 })).toEqual(['a', 'd']);
  });

  it('knows from the reports who is held by the word of another: that one has no savings', () => {
    const made = new QuotaCoordinator(LIMITS);
    made.begin(2, 1, 0);
    made.report('x', report({ a: 300, b: 120 }, { a: 100, b: 120 }), 0, 0);
    expect(rowOf(made.divide(0)!, 'a').isHeld).toBe(0);
    made.begin(3, 1, 0);
    made.report('x', report({ a: 300 }, { a: 100 }, true), 0, 0);
    expect(rowOf(made.divide(0)!, 'a')).toMatchObject({ isHeld: 1, level: 100 });
    // Only at first: what it uses too much from then on it owes, although something is refused.
    const refused = [report({ a: 300 }, { a: 200 }, true)];
    settled(made, refused, 2_000);
    expect(made.snapshot(0).customers[0]!.savings).toBeLessThan(-100);
  });

  it('does not charge a pause of its own to anybody', () => {
    const made = coordinator();
    settled(made, [report({ a: 120 })], 0);
    made.report('0', report({ a: 120 }), 0, 60_000);
    expect(rowOf(made.divide(60_000)!, 'a').isHeld).toBe(0);
  });

  it('does not hold against anybody what was used where quotas did not count, but is ready', () => {
    const made = coordinator();
    const suspended = { ...report({ a: 1_000, b: 90 }), isSuspended: true };
    settled(made, [suspended], 20_000);
    expect(made.snapshot(0).customers[0]).toMatchObject({
      customer: 'a',
      isHeld: true,
      savings: 0,
      level: 100,
    });
    expect(made.snapshot(0).customers[1]).toMatchObject({ customer: 'b', isHeld: false });
    // Elsewhere, where more of it is used, they do.
    settled(
      made,
      [{ ...report({ a: [1_000, 0, 0, 0] }, { a: 10 }), isSuspended: true }, report({ a: 200 })],
      20_000,
    );
    expect(made.snapshot(0).customers[0]!.savings).toBeLessThan(0);
  });

  it('holds nobody for a rounding', () => {
    const demands = [9e-6, 0.004, 9e-9, 70_000, 6e-9];
    const sum = demands.map(Math.fround).reduce((total, demand) => total + demand, 0);
    // The next number below the sum. Taken off one after the other, all of them fit into it.
    const perSecond = sum - 2 ** -36;
    expect(perSecond).toBeLessThan(sum);
    const made = coordinator({ burstMs: 0 }, { everyoneElse: { perSecond } });
    const levels = settled(
      made,
      demands.map((demand) => report({ a: demand })),
      0,
    );
    expect(rowOf(levels, 'a')).toMatchObject({ isHeld: 0, level: POSITIVE_INFINITY });
  });

  it('takes other limits, and names that change or come twice', () => {
    const made = coordinator({ burstMs: 0 });
    expect(rowOf(settled(made, [report({ a: 60 })], 0), 'a').isHeld).toBe(0);
    made.setLimits({ customers: [{ customer: 'a', perSecond: 20 }], everyoneElse: { perSecond: 1 } });
    const twice = { ...report({ a: 50, b: 0.5, c: 10 }), names: [undefined, 'a', 'b', 'a'] };
    expect(rowOf(settled(made, [twice], 0), 'a')).toMatchObject({ isHeld: 1, level: 20 });
    expect(made.snapshot(0).customers.map(({ customer }) => customer)).toEqual(['a', 'b']);
    const halves = { ...report({ a: 15, c: 15 }), names: [undefined, 'a', 'a'] };
    expect(rowOf(settled(made, [halves], 0), 'a')).toMatchObject({ isHeld: 1, level: 20 });
    expect(settled(made, [report({ b: 1 })], 0).names).toEqual(['b']);
  });
});
