import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LESSONS, type Outcome } from '../outcome.js';
import { BatchPace } from './batch-pace.js';
import type { BatchPaceOptions } from './batch-pace-options.js';

interface Told {
  readonly utilization?: number;
  readonly latencyMs?: number;
  readonly outcome?: Outcome;
  /** Nobody waits when it is over. */
  readonly isIdle?: boolean;
}

function make(options: Partial<BatchPaceOptions> = {}) {
  const pace = new BatchPace(0, options);
  let now = 0;
  /** Half a second in which as many go as may, each of which is over at once; the pace after it. */
  const interval = ({ utilization, latencyMs = 20, outcome = 'answered', isIdle = false }: Told = {}) => {
    const endMs = now + 500;
    for (; now < endMs; now += 1) {
      while (!isIdle && pace.waitMs(0, now) === 0) {
        pace.onStart(now);
        pace.onDone(outcome, latencyMs, now);
      }
    }
    if (utilization !== undefined) pace.onUtilization(utilization, now);
    return pace.explain(now).ratePerSecond;
  };
  const intervals = (count: number, told?: Told) => {
    for (let i = 0; i < count; i++) interval(told);
    return pace.ratePerSecond;
  };
  return { pace, interval, intervals, explain: () => pace.explain(now), pass: (ms: number) => (now += ms) };
}

describe('BatchPace', () => {
  it('begins low, and with few under way', () => {
    const { explain } = make();
    expect(explain()).toEqual({
      ratePerSecond: 10,
      limit: 16,
      why: 'idle',
      utilization: undefined,
      latencyMs: undefined,
      baseLatencyMs: undefined,
    });
    expect(make({ maxUnderWay: 4 }).pace.limit).toBe(4);
  });

  it('spaces requests evenly, and makes up for a timer that comes late, but not for more', () => {
    const { pace } = make({ initialPerSecond: 100 });
    const at = (now: number) => {
      let started = 0;
      while (pace.waitMs(0, now) === 0) {
        pace.onStart(now);
        started++;
      }
      return [started, pace.waitMs(0, now)];
    };
    expect(at(100)).toEqual([3, 10]);
    expect(at(105)).toEqual([0, 5]);
    expect(at(110)).toEqual([1, 10]);
    expect(at(130)).toEqual([2, 10]);
    expect(at(400)).toEqual([3, 10]);
  });

  it('lets nobody go while as many are under way as may be', () => {
    const { pace } = make();
    expect(pace.waitMs(16, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(pace.waitMs(15, 0)).toBe(0);
  });

  it('has twice as many under way as the pace needs, and two', () => {
    const { pace, intervals } = make({ initialPerSecond: 100, mostPerSecond: 100, maxUnderWay: 10 });
    intervals(4, { latencyMs: 30 });
    expect(pace.limit).toBe(2 * 100 * 0.03 + 2);
    expect(make({ maxUnderWay: 7, initialPerSecond: 100 }).intervals(4)).toBeGreaterThan(100);
  });

  it('climbs by half in a second while nothing is known to be in the way, up to the most', () => {
    const { interval, explain } = make({ initialPerSecond: 100, mostPerSecond: 200 });
    expect(interval()).toBe(125);
    expect(explain().why).toBe('growing');
    expect([interval(), interval(), interval()]).toEqual([156.25, 195.3125, 200]);
    expect(explain().why).toBe('most');
  });

  it('does not grow while nobody asks for more', () => {
    const { interval, explain } = make();
    interval();
    expect(interval({ isIdle: true })).toBe(12.5);
    expect(explain().why).toBe('idle');
  });

  it.each([
    [3, 'idle', 100],
    [38, 'idle', 100],
    [39, 'growing', 125],
  ] as const)(
    'grows when four fifths of the pace are used: %i of 50 are %s',
    (started, why, ratePerSecond) => {
      const { pace } = make({ initialPerSecond: 100 });
      for (let i = 0; i < started; i++) pace.onStart(0);
      // Somebody had to wait.
      expect(pace.waitMs(0, 0)).toBeGreaterThan(0);
      expect(pace.explain(500)).toMatchObject({ why, ratePerSecond });
    },
  );

  it('does not grow while nobody has to wait', () => {
    const { pace } = make({ initialPerSecond: 100 });
    for (let now = 0; now < 2_000; now += 11) {
      expect(pace.waitMs(0, now)).toBe(0);
      pace.onStart(now);
    }
    expect(pace.explain(2_000)).toMatchObject({ ratePerSecond: 100, why: 'idle' });
  });

  it('goes to its target by the root of what is missing, no faster than by a quarter at once', () => {
    const { interval } = make({ initialPerSecond: 100 });
    expect(interval({ utilization: 0.2 })).toBe(125);
    expect(interval({ utilization: 0.72 })).toBeCloseTo(125 * Math.sqrt(0.8 / 0.72), 6);
    expect(interval({ utilization: 0.8 })).toBeCloseTo(125 * Math.sqrt(0.8 / 0.72), 6);
  });

  it('goes back in the same way, and by half when the service is full, once in a second', () => {
    const { interval, explain } = make({ initialPerSecond: 100 });
    expect(interval({ utilization: 0.88 })).toBeCloseTo(100 / Math.sqrt(1.1), 6);
    expect(explain()).toMatchObject({ why: 'utilization', utilization: 0.88 });
    const before = interval({ utilization: 0.8 });
    expect(interval({ utilization: 1 })).toBeCloseTo(before / 2, 6);
    expect(interval({ utilization: 1 })).toBeCloseTo(before / 2 / Math.sqrt(1.25), 6);
    expect(interval({ utilization: 1 })).toBeCloseTo(before / 4 / Math.sqrt(1.25), 6);
  });

  it('climbs freely after it was too much for utilization, which does not come suddenly', () => {
    const { interval } = make({ initialPerSecond: 100 });
    const cut = interval({ utilization: 0.88 });
    expect(interval({ utilization: 0.4 })).toBeCloseTo(cut * 1.25, 6);
  });

  it('never goes below the least', () => {
    const { intervals, explain } = make({ leastPerSecond: 2 });
    expect(intervals(40, { utilization: 1.5 })).toBe(2);
    expect(explain().why).toBe('least');
  });

  it('does not believe what makes no sense, nor what was said 5 s ago', () => {
    const { pace, pass, explain } = make();
    pace.onUtilization(0.5, 0);
    pace.onUtilization(Number.NaN, 0);
    pace.onUtilization(-1, 0);
    expect(explain().utilization).toBe(0.5);
    pace.onUtilization(0, 0);
    expect(explain().utilization).toBe(0);
    pass(5_000);
    expect(explain().utilization).toBeUndefined();
  });

  describe('when it is refused', () => {
    it('goes down at once to what was accepted', () => {
      const { pace, explain } = make({ initialPerSecond: 100 });
      for (let i = 0; i < 90; i++) pace.onDone('answered', 20, 1);
      pace.onDone('task-overloaded', 1, 2);
      expect(pace.ratePerSecond).toBeCloseTo(100 * (1 - 1 / 101), 6);
      for (let i = 0; i < 99; i++) pace.onDone('overloaded-no-retry', 1, 3);
      expect(pace.ratePerSecond).toBeCloseTo(50, 6);
      expect(explain().why).toBe('refused');
    });

    it('keeps that for the rest of the interval, then climbs carefully around it, and freely above', () => {
      const { pace, interval, intervals } = make({ initialPerSecond: 100 });
      intervals(2, { utilization: 0.4 });
      for (let i = 0; i < 10; i++) pace.onDone('broken', 1, 1_000);
      const cut = pace.ratePerSecond;
      expect(cut).toBeCloseTo(156.25 / 2, 6);
      expect(interval({ utilization: 0.4 })).toBe(cut);
      expect(interval({ utilization: 0.4 })).toBeCloseTo(cut * 1.01, 6);
      // Ten of a hundredth each, and then a quarter.
      expect(intervals(9, { utilization: 0.4 })).toBeCloseTo(cut * 1.01 ** 10, 6);
      expect(interval({ utilization: 0.4 })).toBeCloseTo(cut * 1.01 ** 10 * 1.25, 6);
      expect(interval({ utilization: 0.4 })).toBeCloseTo(cut * 1.01 ** 10 * 1.25 ** 2, 6);
    });

    it('has forgotten where it was refused once it went past that', () => {
      const { pace, interval, intervals } = make({ initialPerSecond: 100 });
      for (let i = 0; i < 10; i++) pace.onDone('broken', 1, 0);
      const cut = pace.ratePerSecond;
      expect(intervals(11, { utilization: 0.4 })).toBeGreaterThan(1.1 * cut);
      const low = interval({ utilization: 0.9 });
      expect(low).toBeGreaterThan(0.95 * cut);
      expect(low).toBeLessThan(1.1 * cut);
      expect(interval({ utilization: 0.4 })).toBeCloseTo(low * 1.25, 6);
    });

    it('is told nothing by those that were over their limit, or given up', () => {
      const { pace } = make({ initialPerSecond: 100 });
      for (let i = 0; i < 45; i++) pace.onDone('aborted', 20, 1);
      for (let i = 0; i < 45; i++) pace.onDone('limited', 20, 1);
      pace.onDone('task-overloaded', 1, 2);
      expect(pace.ratePerSecond).toBeCloseTo(100 * (1 - 1 / 11), 6);
    });

    it('climbs by a twentieth and a little more each time where nothing says how full the service is', () => {
      const { pace, interval, intervals } = make({ initialPerSecond: 20 });
      pace.onDone('broken', 1, 0);
      const cut = interval();
      intervals(10);
      expect(interval()).toBeCloseTo(cut * 1.01 ** 10 * 1.05 * 1.005 ** 10, 5);
      expect(interval()).toBeCloseTo(cut * 1.01 ** 10 * 1.05 ** 2 * 1.005 ** 21, 5);
      // A quarter at the most.
      const before = intervals(30);
      expect(interval()).toBeCloseTo(before * 1.25, 5);
    });

    it.each([
      ['answered', false],
      ['failed', false],
      ['limited', false],
      ['aborted', false],
      ['task-overloaded', true],
      ['overloaded-no-retry', true],
      ['broken', true],
      ['connect-failed', true],
    ] as const)('%s: %s', (outcome, isRefused) => {
      const { pace } = make();
      pace.onDone(outcome, 20, 0);
      expect(pace.ratePerSecond < 10).toBe(isRefused);
    });
  });

  describe('when requests take longer', () => {
    it('goes down by the root of what is too much, by half when that is much, and climbs carefully back', () => {
      const { interval, intervals, explain } = make({ initialPerSecond: 800 });
      interval();
      expect(explain()).toMatchObject({ latencyMs: 20, baseLatencyMs: 20 });
      const before = interval();
      expect(interval({ latencyMs: 30 })).toBeCloseTo(before / Math.sqrt(1.2), 5);
      expect(explain().why).toBe('latency');
      const cut = explain().ratePerSecond;
      expect(interval()).toBeCloseTo(cut * 1.01, 5);
      // So far off that it looks at the base as well.
      const halved = (cut * 1.01) / 2;
      expect(interval({ latencyMs: 60 })).toBeCloseTo(halved * 0.6, 5);
      expect(interval()).toBeCloseTo(halved, 5);
      expect(interval()).toBeCloseTo(halved * 1.05, 5);
      // Towards .95 of .9 of what it was, then carefully.
      const near = halved * 1.05 ** 9 * 1.005 ** 36;
      expect(intervals(8)).toBeCloseTo(near, 5);
      expect(interval()).toBeCloseTo(near * 1.01, 5);
    });

    it('climbs freely from the least pace, which is known to be none too many', () => {
      const { interval, intervals, explain } = make({ initialPerSecond: 400, leastPerSecond: 400 });
      interval();
      intervals(3, { latencyMs: 60 });
      expect(explain()).toMatchObject({ ratePerSecond: 400, why: 'measuring' });
      expect(interval()).toBe(400);
      expect(interval()).toBeCloseTo(400 * 1.05, 6);
    });

    it('steps back to see whether it is the cause', () => {
      const { interval, intervals, explain } = make({ initialPerSecond: 400 });
      intervals(4);
      const before = explain().ratePerSecond;
      interval({ latencyMs: 24 });
      expect(explain().why).toBe('measuring');
      expect(explain().ratePerSecond).toBeCloseTo(before * 1.25 * 0.6, 5);
      // It is not.
      interval({ latencyMs: 24 });
      expect(explain().baseLatencyMs).toBeGreaterThan(21.9);
      expect(explain().why).not.toBe('measuring');
      expect(explain().ratePerSecond).toBeGreaterThanOrEqual(before);
    });

    it('goes by utilization where that is known, unless latency is far off', () => {
      const { interval, intervals } = make({ initialPerSecond: 400 });
      const before = intervals(2, { utilization: 0.8 });
      expect(interval({ utilization: 0.8, latencyMs: 36 })).toBe(before);
      expect(interval({ utilization: 0.8, latencyMs: 40 })).toBe((before / 2) * 0.6);
    });

    it('learns nothing of how long answers take from what fails', () => {
      const { intervals, explain } = make({ initialPerSecond: 400 });
      intervals(4, { outcome: 'failed', latencyMs: 1 });
      expect(explain().latencyMs).toBeUndefined();
    });

    it('holds nothing against a service that is half empty', () => {
      const { interval, explain } = make({ initialPerSecond: 400 });
      interval({ utilization: 0.3 });
      expect(interval({ utilization: 0.3, latencyMs: 60 })).toBe(400 * 1.25 ** 2);
      expect(explain().baseLatencyMs).toBeGreaterThan(40);
    });

    it('waits with its next step for those that it has sent', () => {
      const { pace, intervals, pass, explain } = make({ initialPerSecond: 200, mostPerSecond: 200 });
      // A hundred of them are enough, after half a second.
      intervals(1, { latencyMs: 4_000 });
      expect(explain().latencyMs).toBe(4_000);
      pace.onUtilization(1, pass(7_999));
      expect(explain().ratePerSecond).toBe(200);
      pass(1);
      expect(explain().ratePerSecond).toBe(100);
    });
  });

  it('forgets all when a minute has passed', () => {
    const { pace, intervals, explain, pass } = make({ initialPerSecond: 50 });
    intervals(6);
    pace.onDone('broken', 1, 3_000);
    pass(60_000);
    expect(explain()).toMatchObject({
      ratePerSecond: 50,
      limit: 16,
      why: 'idle',
      latencyMs: undefined,
      baseLatencyMs: undefined,
    });
    expect(intervals(1)).toBe(62.5);
  });

  it('keeps to its bounds, whatever it is told', () => {
    const step = fc.record({
      passMs: fc.nat(2_000),
      underWay: fc.nat(100),
      utilization: fc.oneof(fc.double(), fc.double({ min: 0, max: 2, noNaN: true })),
      outcome: fc.constantFrom(...(Object.keys(LESSONS) as Outcome[])),
      latencyMs: fc.nat(10_000),
      times: fc.nat(30),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const pace = new BatchPace(0, { leastPerSecond: 2, mostPerSecond: 500, maxUnderWay: 50 });
        let now = 0;
        for (const { passMs, underWay, utilization, outcome, latencyMs, times } of steps) {
          now += passMs;
          pace.onUtilization(utilization, now);
          for (let i = 0; i < times && pace.waitMs(underWay, now) === 0; i++) {
            pace.onStart(now);
            pace.onDone(outcome, latencyMs, now);
          }
          const { ratePerSecond, limit } = pace.explain(now);
          expect(ratePerSecond >= 2 && ratePerSecond <= 500).toBe(true);
          expect(Number.isInteger(limit) && limit >= 1 && limit <= 50).toBe(true);
          // Never longer than a request takes at the least pace.
          expect(pace.waitMs(0, now)).toBeLessThanOrEqual(500);
        }
      }),
    );
  });
});
