import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from './allocation.js';
import { HeldShare } from './held-share.js';
import {
  QUOTA_COORDINATOR_DEFAULTS,
  QuotaCoordinator,
  type QuotaCoordinatorOptions,
} from './quota-coordinator.js';
import type { QuotaLevels } from './quota-levels.js';
import { LimitBook, type QuotaLimits } from './quota-limits.js';
import { RANKS } from './rank-line.js';
import { DEMAND_AT, REPORT_STRIDE, type UsageReport } from './usage-report.js';

const { POSITIVE_INFINITY } = Number;
const LIMITS: QuotaLimits = { everyoneElse: { perSecond: 100 } };
const CRITICAL = 2;

type Rows = Readonly<Record<string, readonly number[] | number>>;

/** Demands by rank, or of CRITICAL alone. As much is used as is wanted, unless said. */
function report(rows: Rows, used: Rows = rows, isRefused = false): UsageReport {
  const names = [undefined, ...Object.keys(rows)];
  const rates = new Float32Array(names.length * REPORT_STRIDE);
  for (const [index, name] of Object.keys(rows).entries()) {
    rates.set(byRank(used[name]!), (index + 1) * REPORT_STRIDE);
    rates.set(byRank(rows[name]!), (index + 1) * REPORT_STRIDE + DEMAND_AT);
  }
  const refused = new Uint8Array(names.length).fill(isRefused ? 1 : 0);
  return { names, namesVersion: 1, count: names.length, rates, refused, isSuspended: false };
}

function byRank(demand: readonly number[] | number): readonly number[] {
  return typeof demand === 'number' ? [0, 0, demand, 0] : demand;
}

function coordinator(options?: Partial<QuotaCoordinatorOptions>, limits = LIMITS): QuotaCoordinator {
  const made = new QuotaCoordinator(limits, { learningMs: 0, ...options });
  made.begin(7, 0, 0);
  return made;
}

const clocks = new WeakMap<QuotaCoordinator, number>();

/** All backends say the same again and again, from the time on at which it was last asked. */
function settled(made: QuotaCoordinator, reports: readonly UsageReport[], ms = 10_000): QuotaLevels {
  let levels: QuotaLevels | undefined;
  const from = clocks.get(made) ?? 0;
  clocks.set(made, from + ms);
  for (let now = from; now <= from + ms; now += 250) {
    for (const [index, each] of reports.entries()) made.report(String(index), each, 0, now);
    levels = made.divide(now);
  }
  return levels!;
}

function rowOf(levels: QuotaLevels, customer: string) {
  const row = levels.names.indexOf(customer);
  const spare = [...levels.spare.subarray(row * RANKS, row * RANKS + RANKS)];
  return { rank: levels.rank[row], level: levels.level[row], isHeld: levels.isHeld[row], spare };
}

describe('QuotaCoordinator', () => {
  it('restrains nobody who is within its limit, and says what is spare', () => {
    const levels = settled(coordinator(), [report({ a: 90, b: 5 }), report({ b: 5 })]);
    expect(levels).toMatchObject({ token: 7, sequence: 41, backends: 2, names: ['a', 'b'] });
    const free = { rank: 0, level: POSITIVE_INFINITY, isHeld: 0 };
    expect(rowOf(levels, 'a')).toMatchObject(free);
    expect(rowOf(levels, 'a').spare).toEqual([POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 10]);
    expect(rowOf(levels, 'b')).toMatchObject(free);
    expect(rowOf(levels, 'b').spare[3]).toBe(90);
  });

  it('holds one that is over it to a level, when it has spent what it saved up', () => {
    const made = coordinator();
    const reports = [report({ a: 200 }, { a: 150 }), report({ a: 10 })];
    const first = settled(made, reports, 500);
    // Not yet, but if nobody is heard any more: 90 and 10.
    expect(rowOf(first, 'a')).toMatchObject({ rank: CRITICAL, level: 90, isHeld: 0 });
    expect(made.snapshot(0).customers).toMatchObject([{ customer: 'a', savings: 200 - 0.5 * 60 }]);
    const held = settled(made, reports, 4_000);
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

  it('refuses all of who may use nothing', () => {
    const limits = {
      customers: [{ customer: 'a', perSecond: 0 }],
      everyoneElse: { perSecond: POSITIVE_INFINITY },
    };
    const levels = settled(coordinator({}, limits), [report({ a: 5, b: 1e9 })], 0);
    expect(rowOf(levels, 'a')).toMatchObject({ rank: 3, level: 0, isHeld: 1 });
    expect(rowOf(levels, 'b')).toMatchObject({ level: POSITIVE_INFINITY, isHeld: 0 });
  });

  it('is strict by criticality over the whole fleet', () => {
    const limits: QuotaLimits = { everyoneElse: { perSecond: 100, upTo: { SHEDDABLE: 20 } } };
    const made = coordinator({ burstMs: 0 }, limits);
    const levels = settled(made, [report({ a: [50, 40, 30, 0] }), report({ a: [0, 40, 30, 5] })], 0);
    // 65 pass; of the 80 the next want 35 are left; nothing of the sheddable ones, at neither backend.
    expect(rowOf(levels, 'a')).toMatchObject({ rank: 1, level: 17.5, isHeld: 1 });
    expect(rowOf(levels, 'a').spare).toEqual([20, POSITIVE_INFINITY, POSITIVE_INFINITY, 0]);
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
          const share = new HeldShare();
          share.keep(levels, each, () => ladder, 0);
          for (const [top, part] of share.of('a', ladder).entries()) sums[top]! += part;
        }
        expect(sums[0]).toBeLessThanOrEqual(sheddable * (1 + 1e-5) + 1e-5);
        expect(sums[3]).toBeLessThanOrEqual(all * (1 + 1e-5) + 1e-5);
      }),
    );
  });

  it('listens before it speaks: to as many as there were, or for a while', () => {
    const made = new QuotaCoordinator(LIMITS);
    made.begin(1, 2, 0);
    expect(made.divide(0)).toBeUndefined();
    made.report('x', report({ a: 1 }), 0, 0);
    expect(made.divide(0)).toBeUndefined();
    expect(made.snapshot(0)).toMatchObject({ isLearning: true, backends: 1 });
    made.report('y', report({ a: 1 }), 0, 10);
    expect(made.divide(10)).toMatchObject({ backends: 2, sequence: 1 });
    // Nobody says how many there are.
    made.begin(2, 0, 1_000);
    made.report('x', report({ a: 1 }), 0, 2_400);
    expect(made.divide(2_499)).toBeUndefined();
    expect(made.divide(2_500)).toMatchObject({ token: 2, sequence: 1, backends: 1 });
    // Nobody is there.
    made.begin(3, 0, 3_000);
    expect(made.divide(9_000)).toBeUndefined();
    made.report('x', report({ a: 1 }), 0, 9_000);
    expect(made.divide(9_000)).toMatchObject({ backends: 1 });
  });

  it('knows from the reports who is held by the word of another: that one has no savings', () => {
    const made = new QuotaCoordinator(LIMITS);
    made.begin(2, 1, 0);
    made.report('x', report({ a: 300, b: 120 }, { a: 100, b: 120 }), 0, 0);
    expect(rowOf(made.divide(0)!, 'a').isHeld).toBe(0);
    made.begin(3, 1, 0);
    made.report('x', report({ a: 300 }, { a: 100 }, true), 0, 0);
    expect(rowOf(made.divide(0)!, 'a')).toMatchObject({ isHeld: 1, level: 100 });
  });

  it('does not count backends that are silent, by the age of what they said', () => {
    const made = coordinator();
    made.report('x', report({ a: 1 }), 0, 0);
    made.report('y', report({ a: 1 }), 900, 0);
    made.report('z', report({ a: 1 }), 0, 0);
    expect(made.divide(100)).toMatchObject({ backends: 3 });
    expect(made.divide(101)).toMatchObject({ backends: 2 });
  });

  it('listens again when most are gone at once', () => {
    const made = coordinator({ learningMs: 1_500 });
    const all = ['p', 'q', 'r', 's'];
    for (const name of all) made.report(name, report({ a: 1 }), 0, 1_500);
    expect(made.divide(1_500)).toMatchObject({ backends: 4 });
    made.report('p', report({ a: 1 }), 0, 4_000);
    expect(made.divide(4_000)).toBeUndefined();
    for (const name of all) made.report(name, report({ a: 1 }), 0, 4_100);
    expect(made.divide(4_100)).toMatchObject({ backends: 4, sequence: 2 });
    // They are gone.
    made.report('p', report({ a: 1 }), 0, 6_000);
    expect(made.divide(6_000)).toBeUndefined();
    made.report('p', report({ a: 1 }), 0, 7_500);
    expect(made.divide(7_500)).toMatchObject({ backends: 1 });
  });

  it('does not charge a pause of its own to anybody', () => {
    const made = coordinator();
    settled(made, [report({ a: 120 })], 0);
    made.report('0', report({ a: 120 }), 0, 60_000);
    expect(rowOf(made.divide(60_000)!, 'a').isHeld).toBe(0);
  });

  it('bounds customers: the smallest go, and never who has a limit of its own', () => {
    const limits = { customers: [{ customer: 'named', perSecond: 5 }], everyoneElse: { perSecond: 100 } };
    const made = coordinator({ maxCustomers: 20 }, limits);
    const first = Object.fromEntries(Array.from({ length: 20 }, (_, name) => [`name-${name}`, name + 1]));
    expect(settled(made, [report(first)], 0).names).toHaveLength(20);
    const both = [report(first), report({ big: 50, named: 0.001, small: 0.5 })];
    const full = settled(made, both, 0);
    // With a limit of its own there is always a place.
    expect(full.names).toHaveLength(21);
    expect(full.names).toContain('named');
    expect(made.snapshot(0).everyoneElse).toEqual({ usedPerSecond: 50.5, demandPerSecond: 50.5 });
    const later = settled(made, both, 1_000);
    expect(later.names).toEqual(expect.arrayContaining(['big', 'named', 'name-19']));
    expect(later.names.length).toBeLessThanOrEqual(21);
    // The small ones take turns, the large ones stay.
    for (let second = 0; second < 10; second++)
      expect(settled(made, both, 1_000).names).toEqual(expect.arrayContaining(['big', 'named', 'name-19']));
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
      [{ ...suspended, ...report({ a: 1_000 }, { a: 10 }), isSuspended: true }, report({ a: 200 })],
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

  it('bounds backends', () => {
    const made = coordinator({ maxBackends: 2 });
    expect(settled(made, [report({ a: 1 }), report({ a: 1 }), report({ a: 1 })], 0)).toMatchObject({
      backends: 2,
    });
  });

  it('takes other limits, and names that change or come twice', () => {
    const made = coordinator({ burstMs: 0 });
    expect(rowOf(settled(made, [report({ a: 50 })], 0), 'a').isHeld).toBe(0);
    made.setLimits({ customers: [{ customer: 'a', perSecond: 20 }], everyoneElse: { perSecond: 1 } });
    const twice = { ...report({ a: 50, b: 0.5, c: 10 }), names: [undefined, 'a', 'b', 'a'] };
    expect(rowOf(settled(made, [twice], 0), 'a')).toMatchObject({ isHeld: 1, level: 20 });
    expect(made.snapshot(0).customers.map(({ customer }) => customer)).toEqual(['a', 'b']);
    const halves = { ...report({ a: 15, c: 15 }), names: [undefined, 'a', 'a'] };
    expect(rowOf(settled(made, [halves], 0), 'a')).toMatchObject({ isHeld: 1, level: 20 });
    expect(settled(made, [report({ b: 1 })], 0).names).toEqual(['b']);
  });

  it('refuses impossible options', () => {
    const made = (options: object) => () => new QuotaCoordinator(LIMITS, options);
    expect(made({ everyMs: 0 })).toThrow('everyMs must be a finite number > 0, got 0');
    expect(made({ learningMs: -1 })).toThrow('learningMs must be a finite number >= 0, got -1');
    expect(made({ maxCustomers: 0 })).toThrow('maxCustomers must be an integer >= 1, got 0');
    expect(made({ maxBackends: 0 })).toThrow('maxBackends must be an integer >= 1, got 0');
    expect(made({ every: 1 })).toThrow('quotaCoordinator has no option "every"');
    expect(Object.isFrozen(QUOTA_COORDINATOR_DEFAULTS)).toBe(true);
  });
});
