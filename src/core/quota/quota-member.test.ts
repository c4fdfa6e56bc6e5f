import { describe, expect, it } from 'vitest';
import { FITS, type QuotaLevels } from './quota-levels.js';
import { QUOTA_MEMBER_DEFAULTS, QuotaMember, type QuotaMemberOptions } from './quota-member.js';

const { POSITIVE_INFINITY } = Number;
const NONE = [POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY];

function levels(
  sequence: number,
  held: Record<string, [rank: number, level: number]> = {},
  given: Partial<QuotaLevels> = {},
): QuotaLevels {
  const names = Object.keys(held);
  const rows = Object.values(held);
  return {
    token: 1,
    sequence,
    backends: 4,
    names,
    rank: Uint8Array.from(rows, ([rank]) => rank),
    level: Float64Array.from(rows, ([, level]) => level),
    isHeld: new Uint8Array(rows.length).fill(1),
    spare: Float64Array.from(rows.flatMap(() => [...NONE, 0])),
    ...given,
  };
}

/** Of so many who are not held. */
function columnsOf(count: number): Pick<QuotaLevels, 'rank' | 'level' | 'isHeld' | 'spare'> {
  return {
    rank: new Uint8Array(count),
    level: new Float64Array(count).fill(POSITIVE_INFINITY),
    isHeld: new Uint8Array(count),
    spare: new Float64Array(4 * count).fill(50),
  };
}

function member(options?: Partial<QuotaMemberOptions>): QuotaMember {
  return new QuotaMember({ everyoneElse: { perSecond: 100 } }, options);
}

/** Passed of a hundred requests a second that cost 1 each, a second. */
function offer(backend: QuotaMember, from: number, seconds: number, customer = 'a'): number {
  let passed = 0;
  for (let request = 0; request < seconds * 100; request++) {
    const now = from + request * 10;
    if (request % 25 === 0) {
      backend.tick(now);
      backend.report(now);
    }
    if (backend.enforcement.admit(customer, 'CRITICAL', ((request * 37) % 100) / 100, now) === 'refuse')
      continue;
    backend.enforcement.charge(customer, 'CRITICAL', 1, now);
    passed++;
  }
  return passed / seconds;
}

describe('QuotaMember', () => {
  it('does the same whether all are told, or only those who are held', () => {
    const names = ['spared', 'a', 'b'];
    const whole = levels(5, { spared: [0, 1], a: [2, 30], b: [1, 5] }, { isHeld: Uint8Array.of(0, 1, 1) });
    const brief = levels(5, { a: [2, 30], b: [1, 5] }, { names, told: Uint16Array.of(1, 2) });
    const heard = [whole, brief].map((sent) => {
      const backend = member();
      backend.hear(levels(4, {}, { names, told: undefined, ...columnsOf(names.length) }), 0);
      expect(backend.hear(sent, 250)).toBe(true);
      const passed = ['a', 'b', 'spared'].map((customer) => offer(backend, 250, 2, customer));
      const { customers } = backend.snapshot(2_250);
      backend.tick(4_000);
      expect(backend.stage).toBe('holding');
      return { passed, customers, later: backend.snapshot(4_000).customers };
    });
    expect(heard[1]).toEqual(heard[0]);
    expect(heard[1]!.passed[0]).toBeLessThan(50);
    expect(heard[1]!.passed[2]).toBe(100);
  });

  it('lets the whole limit pass when it is alone, or its part if it is said among how many', () => {
    const whole = member();
    expect(whole.stage).toBe('alone');
    expect(offer(whole, 0, 20)).toBe(100);
    const part = member({ backends: 5 });
    offer(part, 0, 10);
    expect(Math.abs(offer(part, 10_000, 10) - 20)).toBeLessThan(2);
    expect(part.snapshot(20_000)).toMatchObject({ stage: 'alone', token: 0, backends: 5 });
    // It stays alone, however long.
    part.tick(1e9);
    expect(part.stage).toBe('alone');
  });

  it('holds to a level, from the moment it is heard until it is told otherwise', () => {
    const backend = member();
    offer(backend, 0, 5);
    expect(backend.hear(levels(1, { a: [2, 10] }), 5_000)).toBe(true);
    expect(Math.abs(offer(backend, 5_000, 2) - 10)).toBeLessThan(2);
    expect(backend.snapshot(7_000)).toMatchObject({
      stage: 'fresh',
      token: 1,
      backends: 4,
      customers: [{ customer: 'a', limitPerSecond: 100, rank: 2, level: 10 }],
    });
    const [a] = backend.snapshot(7_000).customers;
    expect(a!.refusedPerSecond).toBeCloseTo(a!.demandPerSecond - a!.usedPerSecond, 9);
    expect(offer(backend, 7_000, 0.01, 'b')).toBe(100);
    expect(backend.hear(levels(2), 7_000)).toBe(true);
    expect(offer(backend, 7_000, 2)).toBe(100);
  });

  it('holds a customer that comes for the first time after the levels', () => {
    const backend = member();
    backend.hear(levels(1, { late: [3, 0] }), 0);
    expect(offer(backend, 0, 1, 'late')).toBe(0);
  });

  it('does not refuse who has savings', () => {
    const backend = member();
    backend.hear(levels(1, { a: [2, 1] }, { isHeld: Uint8Array.of(0) }), 0);
    expect(offer(backend, 0, 2)).toBe(100);
  });

  it('does not let one that is over the whole limit here wait for the coordinator', () => {
    const backend = new QuotaMember({ everyoneElse: { perSecond: 10 } });
    backend.hear(levels(1), 0);
    offer(backend, 0, 2);
    backend.hear(levels(2), 2_000);
    expect(offer(backend, 2_000, 2)).toBeLessThan(20);
  });

  it('believes the newest, and a lower token only when nothing is fresh', () => {
    const backend = member();
    const heard = (token: number, sequence: number, now: number) =>
      backend.hear(levels(sequence, {}, { token }), now);
    expect(heard(5, 7, 0)).toBe(true);
    expect(heard(5, 7, 10)).toBe(false);
    expect(heard(5, 6, 10)).toBe(false);
    expect(heard(4, 99, 10)).toBe(false);
    expect(heard(6, 1, 10)).toBe(true);
    expect(heard(5, 99, 3_009)).toBe(false);
    // A Redis that began anew counts from 1.
    expect(heard(1, 1, 3_010)).toBe(true);
  });

  it('goes from fresh over holding to safe, and back with the next levels', () => {
    const backend = member();
    offer(backend, 0, 5);
    // 100 a second here, and nothing spare.
    const spare = Float64Array.of(...NONE, 0);
    backend.hear(levels(1, { a: [0, POSITIVE_INFINITY] }, { isHeld: Uint8Array.of(0), spare }), 5_000);
    expect(offer(backend, 5_000, 2.9)).toBe(100);
    expect(backend.stage).toBe('fresh');
    backend.tick(8_000);
    expect(backend.stage).toBe('holding');
    // As before: not refused. A stranger: an equal part of its limit, and what it has saved up of that.
    expect(offer(backend, 8_000, 10)).toBeGreaterThan(99);
    expect(offer(backend, 18_000, 10, 'stranger')).toBeLessThan(25 + 5 * 2.5 + 1);
    expect(backend.snapshot(28_000).customers.map((each) => each.hereLimitPerSecond)).toEqual([
      expect.closeTo(100, 1),
      25,
    ]);
    backend.tick(35_000);
    expect(backend.stage).toBe('safe');
    offer(backend, 35_000, 5);
    expect(Math.abs(offer(backend, 40_000, 10) - 25)).toBeLessThan(2);
    expect(backend.hear(levels(2), 50_000)).toBe(true);
    expect(backend.stage).toBe('fresh');
    expect(offer(backend, 50_000, 2)).toBe(100);
  });

  it('steps by itself when it hears something after a long time', () => {
    const backend = member({ safeShare: 0.1 });
    backend.hear(levels(9), 0);
    backend.tick(40_000);
    expect(backend.stage).toBe('safe');
    offer(backend, 40_000, 5);
    expect(Math.abs(offer(backend, 45_000, 10) - 10)).toBeLessThan(2);
    expect(backend.hear(levels(1, {}, { token: 0 }), 60_000)).toBe(true);
  });

  it('takes other limits at any time', () => {
    const backend = member();
    backend.hear(levels(1), 0);
    offer(backend, 0, 3);
    backend.setLimits({ customers: [{ customer: 'a', perSecond: 20 }], everyoneElse: { perSecond: 1 } });
    let passed = 0;
    for (let second = 3; second < 13; second++) {
      backend.hear(levels(second), second * 1_000);
      passed = offer(backend, second * 1_000, 1);
    }
    expect(Math.abs(passed - 20)).toBeLessThan(5);
    expect(backend.snapshot(13_000).customers[0]).toMatchObject({ limitPerSecond: 20 });
  });

  it('refuses impossible options', () => {
    expect(() => member({ freshMs: 0 })).toThrow('freshMs must be a finite number > 0, got 0');
    expect(() => member({ holdMs: 10 })).toThrow('holdMs must be from 3000');
    expect(() => member({ backends: 0 })).toThrow('backends must be an integer >= 1, got 0');
    expect(() => member({ safeShare: 2 })).toThrow('safeShare must be from 0 to 1, got 2');
    expect(() => member({ maxReported: 0 })).toThrow('maxReported must be an integer >= 1, got 0');
    expect(() => member({ burstMs: -1 })).toThrow('burstMs must be a finite number >= 0, got -1');
    expect(() => member({ holdBurstMs: -1 })).toThrow('holdBurstMs must be a finite number >= 0, got -1');
    expect(() => member({ reportDecayMs: 0 })).toThrow('reportDecayMs must be a finite number > 0, got 0');
    expect(() => member({ fresh: 1 } as object)).toThrow('quotaMember has no option "fresh"');
    expect(Object.isFrozen(QUOTA_MEMBER_DEFAULTS)).toBe(true);
  });

  it('never takes the same levels as news, however long ago they were heard', () => {
    const backend = member();
    expect(backend.hear(levels(5), 0)).toBe(true);
    expect(backend.hear(levels(5), 100)).toBe(false);
    expect(backend.hear(levels(5), 4_000)).toBe(false);
    expect(backend.stage).toBe('holding');
    expect(backend.hear(levels(5), 50_000)).toBe(false);
    expect(backend.stage).toBe('safe');
    // An earlier one of that term: it was forgotten that there was one, and begins anew.
    expect(backend.hear(levels(4), 50_000)).toBe(true);
  });

  it('reports what was used since the last report, also of who was silent before', () => {
    const backend = member();
    offer(backend, 0, 2);
    for (let now = 2_000; now < 602_000; now += 250) backend.report(now);
    for (let request = 0; request < 20; request++) {
      backend.enforcement.admit('a', 'CRITICAL', 0.5, 602_000);
      backend.enforcement.charge('a', 'CRITICAL', 1, 602_000);
    }
    const { rates, names } = backend.report(602_150);
    // The last report was in the slot before the last.
    expect(rates[names.indexOf('a') * 8 + 2]).toBeCloseTo(20 / 0.4, 3);
  });

  it('saves up as much as is said while it is alone, and while nobody is heard', () => {
    const backend = member({ burstMs: 1_000, holdBurstMs: 9_000 });
    expect(backend.enforcement.explain('a', 0).debt).toBe(-100);
    backend.hear(levels(1), 0);
    backend.tick(3_000);
    expect(backend.enforcement.explain('a', 3_000).debt).toBe(-25 * 9);
    backend.tick(30_000);
    expect(backend.stage).toBe('safe');
    expect(backend.enforcement.explain('a', 30_000).debt).toBe(-25 * 9);
  });

  it('has its safe share only when nobody was heard for long, not before anybody was', () => {
    const backend = member({ backends: 5, safeShare: 0.1 });
    const limitAt = (now: number) => backend.enforcement.explain('a', now).limits.CRITICAL_PLUS;
    expect(limitAt(0)).toBe(20);
    backend.hear(levels(1), 0);
    backend.tick(3_000);
    expect(limitAt(3_000)).toBe(25);
    backend.tick(30_000);
    expect(limitAt(30_000)).toBe(10);
  });

  it('holds one that fits and has overdrawn its limit to its share', () => {
    const backend = member();
    offer(backend, 0, 2);
    backend.hear(levels(1, { a: [3, FITS] }, { backends: 50 }), 2_000);
    // What it had here before, and half as much again; not its limit at each backend.
    expect(offer(backend, 2_000, 1)).toBe(100);
    backend.hear(levels(2, { stranger: [3, FITS] }, { backends: 50 }), 3_000);
    expect(offer(backend, 3_000, 10, 'stranger')).toBeLessThan(4);
    expect(backend.snapshot(13_000).customers.find(({ customer }) => customer === 'stranger')).toMatchObject({
      rank: 0,
      level: POSITIVE_INFINITY,
    });
  });
});
