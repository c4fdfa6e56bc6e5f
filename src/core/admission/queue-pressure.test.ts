import { describe, expect, it } from 'vitest';
import type { Criticality } from '../criticality.js';
import {
  type ClosedLoop,
  type LoopReport,
  refusedUntil,
  runLoop,
  settledAfter,
  summarize,
} from './closed-loop.contract.js';
import { QueuePressure } from './queue-pressure.js';
import { DEGRADING_THRESHOLDS, Thresholds } from './thresholds.js';

const HOUR = 3_600_000;

/** One request taken each millisecond, after this queue time. */
function hold(pressure: QueuePressure, queueTimeMs: number, fromMs: number, toMs: number): void {
  for (let now = fromMs; now < toMs; now++) pressure.observe(queueTimeMs, now);
}

/** So many arrive each millisecond, of which as many are admitted as the pressure lets through, and one is taken. */
function flood(pressure: QueuePressure, perMs: number, queueTimeMs: number, untilMs: number): QueuePressure {
  let credit = 0;
  for (let now = 0; now < untilMs; now++) {
    for (let request = 0; request < perMs; request++) {
      credit += 1 / pressure.overload(now);
      pressure.onDecision('CRITICAL', credit >= 1);
      if (credit >= 1) credit--;
    }
    pressure.observe(queueTimeMs, now);
  }
  return pressure;
}

describe('QueuePressure', () => {
  it('has the name by which reports tell it from others', () => {
    expect(new QueuePressure().name).toBe('queue-pressure');
  });

  it('asks for nothing up to its target, and shows how near it is', () => {
    const pressure = new QueuePressure();
    expect(pressure.utilization(0)).toBe(0);
    hold(pressure, 10, 0, 5_000);
    expect(pressure.utilization(5_000)).toBeCloseTo(0.4, 12);
    hold(pressure, 20, 5_000, 10_000);
    expect(pressure.utilization(10_000)).toBe(0.8);
    expect(pressure.overload(10_000)).toBe(1);
  });

  it('lets a queue be longer by as much as everything takes longer, within bounds', () => {
    const pressed = (slowdown: number, queueTimeMs: number) => {
      const pressure = new QueuePressure();
      pressure.slowdown = slowdown;
      pressure.takeIntervalMs = 0;
      hold(pressure, queueTimeMs, 0, 5_000);
      return pressure.isPressing;
    };
    expect([pressed(1, 50), pressed(3, 50), pressed(3, 70), pressed(50, 400)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it('moves by what is off now, and by what was off so far', () => {
    const pressure = new QueuePressure();
    hold(pressure, 20, 0, 1_000);
    hold(pressure, 40, 1_000, 1_025);
    // One update, twice the target: .06 at once, and .06² / 2 for each 20 ms, of which there were 25.
    expect(pressure.overload(1_025)).toBeCloseTo(Math.exp(0.06 + 0.002_25), 12);
    hold(pressure, 40, 1_025, 2_000);
    expect(pressure.overload(2_000)).toBeCloseTo(Math.exp(0.06 + 0.09), 12);
    hold(pressure, 20, 2_000, 2_025);
    expect(pressure.overload(2_025)).toBeCloseTo(Math.exp(0.09), 12);
    expect(pressure.utilization(2_025)).toBeCloseTo(1 + 0.2 * (1 - Math.exp(-0.09)), 12);
  });

  it('goes by the mean of an interval, and moves only when one ends', () => {
    const pressure = new QueuePressure();
    pressure.observe(0, 0);
    pressure.observe(80, 10);
    expect(pressure.utilization(24.9)).toBe(0);
    expect(pressure.overload(25)).toBeCloseTo(Math.exp(0.06 + 0.002_25), 12);
  });

  it('finds where the thresholds relieve it, for the criticalities that arrive', () => {
    const pressure = new QueuePressure(
      {},
      new Thresholds({ SHEDDABLE: { refuseFrom: 0.5, refuseAll: 0.6 } }),
    );
    for (let now = 0; now < 2_000; now++) {
      pressure.onDecision(now % 2 === 0 ? 'SHEDDABLE' : 'CRITICAL', true);
      pressure.observe(40, now);
    }
    const relief = 1 - 1 / pressure.overload(2_000);
    expect(pressure.utilization(2_000)).toBeCloseTo(0.5 + 0.1 * 2 * relief, 3);
  });

  it('counts what is too much when there is a backlog', () => {
    const pressure = flood(new QueuePressure(), 4, 61, 1_000);
    // Four would come for each that is taken; .12 is for the queue time, 2.05 targets too long.
    expect(pressure.overload(1_000) / Math.exp(0.12)).toBeGreaterThan(3.9);
    expect(pressure.overload(1_000) / Math.exp(0.12)).toBeLessThan(4.4);
    expect(flood(new QueuePressure(), 4, 59, 1_000).overload(1_000)).toBeLessThan(1.4);
  });

  it('does not take a process that stood still for an overload, however many came meanwhile', () => {
    for (const stoodStillMs of [78, 110, 500]) {
      const pressure = new QueuePressure();
      pressure.utilization(0);
      // Ten have come, and none could be taken.
      for (let i = 0; i < 10; i++) pressure.onDecision('CRITICAL', true);
      pressure.waiting = 10;
      pressure.utilization(stoodStillMs);
      expect(pressure.overload(stoodStillMs)).toBeLessThan(1.2);
      // Then all go, having waited for so long.
      for (let i = 0; i < 10; i++) pressure.observe(stoodStillMs, stoodStillMs + 1);
      pressure.waiting = 0;
      pressure.utilization(stoodStillMs + 26);
      expect(pressure.overload(stoodStillMs + 26)).toBeLessThan(1.2);
      expect(pressure.overload(stoodStillMs + 200)).toBeLessThan(1.03);
    }
  });

  it('believes a backlog that lasts four updates', () => {
    const overloadAt = (ms: number) => flood(new QueuePressure(), 4, 100, ms).overload(ms);
    expect(overloadAt(75)).toBeLessThan(1.2);
    expect(overloadAt(101)).toBeGreaterThan(1.2);
    expect(overloadAt(200)).toBeGreaterThan(2);
  });

  it('does not take a backlog for an overload when fewer are admitted than are taken, or nothing is told', () => {
    const pressure = new QueuePressure();
    for (let now = 0; now < 1_000; now++) {
      pressure.onDecision('CRITICAL', now % 2 === 0);
      pressure.observe(100, now);
    }
    const proportional = Math.exp(0.06 * 4);
    expect(pressure.overload(1_000) / proportional).toBeLessThan(1.03);
    expect(pressure.overload(1_000) / proportional).toBeGreaterThan(1);
    const untold = new QueuePressure();
    hold(untold, 100, 0, 1_000);
    // Added up as if it were at three targets: .06² / 2 · 2 each 20 ms.
    expect(untold.overload(1_000) / proportional).toBeCloseTo(Math.exp(0.18), 9);
  });

  it('hears of the queue also from those that leave it without being run, and does not count them as served', () => {
    const pressure = new QueuePressure();
    const newestFirst = new QueuePressure();
    for (let now = 0; now < 200; now++) {
      pressure.onDecision('CRITICAL', true);
      pressure.observe(100, now);
      newestFirst.onDecision('CRITICAL', true);
      if (now % 4 === 0) newestFirst.observe(0, now);
      else newestFirst.observeDropped(now % 4 === 1 ? 160 : 120, now);
    }
    // Both waited 100 ms on average, but of the latter a quarter runs.
    expect(newestFirst.overload(200)).toBeGreaterThan(3 * pressure.overload(200));
    const hanging = new QueuePressure();
    for (let now = 0; now < 200; now++) {
      hanging.onDecision('CRITICAL', true);
      hanging.observeDropped(100, now);
      if (now === 50) expect(hanging.overload(now)).toBeLessThan(10);
      expect(hanging.isPressing).toBe(hanging.overload(now) > 1);
    }
    expect(hanging.overload(200)).toBeGreaterThan(20);
  });

  it('holds while nothing is taken for a moment, and takes longer for empty', () => {
    const pressure = new QueuePressure();
    hold(pressure, 50, 0, 10_000);
    const before = pressure.overload(10_000);
    expect(before).toBeGreaterThan(2);
    expect(pressure.overload(10_099)).toBe(before);
    expect(pressure.overload(10_100)).toBeLessThan(before * 0.9);
  });

  it('knows how long it was empty, after the last ones that waited', () => {
    const pressure = new QueuePressure();
    hold(pressure, 58, 0, 5_001);
    // 25 ms more of what it was, then 175 ms of nothing.
    const settled = 0.855 + 0.0018 * 1.9 * 1.25 - 0.0018 * (175 / 20);
    expect(pressure.overload(5_200)).toBeCloseTo(Math.exp(settled * Math.exp(-0.35) - 0.06), 9);
  });

  it('takes silence for a server that hangs when some are known to wait, once that is longer than the target', () => {
    const hanging = (intervalMs: number, queueTimeMs: number) => {
      const pressure = new QueuePressure();
      pressure.takeIntervalMs = intervalMs;
      hold(pressure, queueTimeMs, 0, 1_001);
      pressure.waiting = 3;
      // Until then the last interval is under way, of which some have left.
      pressure.utilization(1_025);
      return pressure;
    };
    const atTarget = hanging(0, 20);
    expect(atTarget.overload(1_025)).toBe(1);
    // Those that wait have waited for 50 ms: 1.5 targets too long.
    expect(atTarget.overload(1_075)).toBeCloseTo(Math.exp(0.06 * 1.5 + 0.0018 * 1.5 * 2.5), 12);
    for (let now = 1_125; now <= 5_000; now += 50) atTarget.utilization(now);
    expect(atTarget.overload(5_000)).toBeGreaterThan(1.5);
    // A target of eight slow ones is longer: meanwhile nothing is known.
    const slow = hanging(10, 160);
    const before = slow.overload(1_025);
    expect(before).toBeGreaterThan(1);
    expect([1_050, 1_075, 1_100].map((now) => slow.overload(now))).toEqual([before, before, before]);
    expect(slow.overload(1_500)).toBeGreaterThan(before);
  });

  it('goes by those that leave as long as some do, whether or not it is told how many wait', () => {
    for (const everyMs of [1, 200]) {
      const [told, untold] = [new QueuePressure(), new QueuePressure()];
      told.utilization(0);
      told.waiting = 3;
      for (let now = 0; now <= 4_000; now += everyMs) {
        told.observe(40, now);
        untold.observe(40, now);
      }
      // Slow requests: who is told that some wait does not take the time between two for an empty queue.
      if (everyMs === 200) expect(untold.overload(4_000)).toBe(1);
      else expect(told.overload(4_000)).toBe(untold.overload(4_000));
      expect(told.overload(4_000)).toBeGreaterThan(1.3);
    }
  });

  it('follows a mix that changes', () => {
    const pressure = new QueuePressure();
    for (let now = 0; now < 6_000; now++) {
      pressure.onDecision(now < 4_500 ? 'SHEDDABLE' : 'CRITICAL_PLUS', true);
      pressure.observe(58, now);
      if (now === 4_499) expect(pressure.utilization(now)).toBeLessThan(0.9);
    }
    expect(pressure.utilization(6_000)).toBeGreaterThan(1.2);
  });

  it('takes few requests for as long a time as many', () => {
    const few = new QueuePressure();
    for (let now = 0; now <= 2_000; now += 80) few.observe(40, now);
    const many = new QueuePressure();
    hold(many, 40, 0, 2_001);
    expect(few.overload(2_030)).toBeCloseTo(many.overload(2_030), 2);
  });

  it('has forgotten all after an idle hour, and after an hour without a call', () => {
    const pressure = new QueuePressure();
    hold(pressure, 500, 0, 60_000);
    expect(pressure.overload(60_000)).toBeGreaterThan(50);
    expect(pressure.overload(60_000 + HOUR)).toBe(1);
    expect(pressure.utilization(60_000 + HOUR)).toBe(0);
    hold(pressure, 500, 2 * HOUR, 2 * HOUR + 10);
    expect(pressure.overload(3 * HOUR)).toBe(1);
    hold(pressure, 20, 3 * HOUR, 3 * HOUR + 100);
    expect(pressure.overload(3 * HOUR + 100)).toBe(1);
  });

  it('falls by halves while the queue is empty', () => {
    const fresh = () => flood(new QueuePressure(), 10, 80, 5_000);
    const pressure = fresh();
    expect(pressure.overload(5_000)).toBeGreaterThan(10);
    hold(pressure, 0.9, 5_000, 6_000);
    // From ln 10 to e^−2 of it, less what is off.
    expect(Math.log(pressure.overload(6_000))).toBeLessThan(0.3);
    expect(Math.log(pressure.overload(6_000))).toBeGreaterThan(0.1);
    const slower = fresh();
    hold(slower, 1.1, 5_000, 6_000);
    expect(Math.log(slower.overload(6_000))).toBeGreaterThan(2);
  });

  it('never asks to refuse more than all but a hundredth', () => {
    const pressure = new QueuePressure();
    hold(pressure, 10_000, 0, 100_000);
    expect(pressure.overload(100_000)).toBeCloseTo(100, 9);
    expect(pressure.utilization(100_000)).toBeCloseTo(1 + 0.2 * 0.99, 9);
    const gentle = new QueuePressure({ leastAdmitted: 0.5 });
    hold(gentle, 10_000, 0, 100_000);
    expect(gentle.overload(100_000)).toBeCloseTo(2, 9);
    // Nor has it added up more than that meanwhile: half a target too short for a second shows.
    hold(gentle, 10, 100_000, 101_000);
    expect(gentle.overload(101_000)).toBeCloseTo(2 * Math.exp(-0.03 - 0.045), 9);
  });

  it('takes what is no time as 0, and late ones as of now', () => {
    const pressure = new QueuePressure();
    hold(pressure, 40, 0, 1_000);
    for (const broken of [Number.NaN, -5, Number.POSITIVE_INFINITY]) pressure.observe(broken, 1_001);
    pressure.observe(40, 500);
    expect(pressure.overload(2_000)).toBe(1);
    hold(pressure, 40, 2_000, 3_000);
    expect(pressure.overload(3_000)).toBeGreaterThan(1.05);
  });

  it('refuses impossible options', () => {
    expect(() => new QueuePressure({ targetMs: 0 })).toThrow(
      new RangeError('targetMs must be a finite number > 0, got 0'),
    );
    expect(() => new QueuePressure({ leastRequests: -1 })).toThrow(
      'leastRequests must be a finite number >= 0, got -1',
    );
    expect(() => new QueuePressure({ updateMs: -1 })).toThrow('updateMs must be a finite number > 0, got -1');
    expect(() => new QueuePressure({ leastAdmitted: 0 })).toThrow(
      'leastAdmitted must be a finite number > 0, got 0',
    );
    expect(() => new QueuePressure({ leastAdmitted: 2 })).toThrow('leastAdmitted must be from 0 to 1, got 2');
    expect(() => new QueuePressure({ target: 5 } as object)).toThrow('queuePressure has no option "target"');
  });
});

/** A server of 750/s: 2 s at 0.7 ×, then the overload for so long, then 0.7 × again for 4 s. */
function overloaded(
  times: number,
  ms: number,
  mix: Partial<Record<Criticality, number>>,
  more: Partial<ClosedLoop> = {},
): LoopReport {
  const thresholds = more.thresholds ?? new Thresholds();
  return runLoop({
    pressure: new QueuePressure({}, thresholds),
    thresholds,
    mix,
    serviceMs: 4 / 3,
    phases: [
      { perSecond: 525, ms: 2_000 },
      { perSecond: 750 * times, ms },
      { perSecond: 525, ms: 4_000 },
    ],
    ...more,
  });
}

describe('a server of 750/s with no other defence', () => {
  it('refuses a steady half of twice its load, and wastes nothing', () => {
    const report = overloaded(2, 12_000, { CRITICAL: 1 });
    const steady = summarize(report, 4_000, 14_000);
    expect(summarize(report, 0, 2_000).refusedShare).toBe(0);
    expect(steady.used).toBeGreaterThan(0.98);
    expect(steady.shareDeviation).toBeLessThan(0.03);
    expect(steady.meanQueueMs).toBeGreaterThan(18);
    expect(steady.meanQueueMs).toBeLessThan(28);
    expect(steady.longestQueueMs).toBeLessThan(100);
    expect(refusedUntil(report, 14_000)).toBeLessThanOrEqual(2_000);
  });

  it('does so for any mix of criticalities, and leaves the critical ones alone where it can', () => {
    const mostlySheddable = summarize(overloaded(2, 6_000, { SHEDDABLE: 0.9, CRITICAL: 0.1 }), 4_000, 8_000);
    expect(mostlySheddable.used).toBeGreaterThan(0.98);
    expect(mostlySheddable.shareDeviation).toBeLessThan(0.05);
    expect(mostlySheddable.refusedBy.CRITICAL).toBe(0);
    const mostlyCritical = summarize(
      overloaded(2, 8_000, { SHEDDABLE: 0.05, CRITICAL: 0.95 }),
      4_000,
      10_000,
    );
    expect(mostlyCritical.used).toBeGreaterThan(0.98);
    expect(mostlyCritical.shareDeviation).toBeLessThan(0.05);
    expect(mostlyCritical.refusedBy.SHEDDABLE).toBe(1);
    expect(mostlyCritical.refusedBy.CRITICAL).toBeCloseTo(0.474, 1);
  });

  it('is as steady when the most critical go first', () => {
    const mix = { SHEDDABLE: 0.9, CRITICAL: 0.1 };
    const steady = summarize(overloaded(2, 6_000, mix, { criticalFirst: true }), 4_000, 8_000);
    expect(steady.used).toBeGreaterThan(0.98);
    expect(steady.shareDeviation).toBeLessThan(0.05);
    expect(steady.refusedBy.CRITICAL).toBe(0);
  });

  it('finds the share of a sudden tenfold load in a fraction of a second, and lets go of it in two', () => {
    const report = overloaded(10, 4_000, { SHEDDABLE: 0.05, CRITICAL: 0.95 });
    const during: LoopReport = { ...report, slices: report.slices.slice(0, 60) };
    expect(settledAfter(during, 2_000, 0.9, 0.1)).toBeLessThanOrEqual(400);
    const steady = summarize(report, 4_000, 6_000);
    expect(steady.used).toBeGreaterThan(0.97);
    expect(steady.shareDeviation).toBeLessThan(0.03);
    expect(refusedUntil(report, 6_000)).toBeLessThanOrEqual(2_500);
  });

  it('refuses next to nothing of what it can just serve', () => {
    const report = overloaded(0.9, 10_000, { CRITICAL: 1 });
    expect(summarize(report, 2_000, 12_000).refusedShare).toBeLessThan(0.005);
  });

  it('keeps call trees whole: of the tasks it can serve at most half of, it serves almost half, however many calls each makes', () => {
    for (const callsPerTask of [2, 4]) {
      const { tasksServed } = overloaded(
        2,
        0,
        {},
        {
          callsPerTask,
          mix: { CRITICAL: 1 },
          phases: [{ perSecond: 1_500, ms: 10_000 }],
        },
      );
      expect(tasksServed).toBeGreaterThan(0.45);
      expect(tasksServed).toBeLessThan(0.52);
    }
  });

  it('degrades first where it may, and refuses less for it', () => {
    const thresholds = new Thresholds(DEGRADING_THRESHOLDS);
    const cheaper = summarize(
      overloaded(2, 6_000, { CRITICAL: 1 }, { thresholds, degradedCost: 0.3 }),
      4_000,
      8_000,
    );
    expect(cheaper.refusedShare).toBeLessThan(0.02);
    expect(cheaper.degradedShare).toBeGreaterThan(0.6);
    expect(cheaper.used).toBeGreaterThan(0.97);
  });

  it('refuses what it has to also if its degraded requests turn out to spare nothing', () => {
    const thresholds = new Thresholds(DEGRADING_THRESHOLDS);
    const noCheaper = summarize(overloaded(2, 6_000, { CRITICAL: 1 }, { thresholds }), 4_000, 8_000);
    expect(noCheaper.refusedShare).toBeCloseTo(0.5, 1);
    expect(noCheaper.used).toBeGreaterThan(0.97);
    expect(noCheaper.meanQueueMs).toBeLessThan(40);
  });
});
