import { describe, expect, it } from 'vitest';
import { EventLoopLoad } from './event-loop-load.js';

const HOUR = 3_600_000;

function loop() {
  const time = { active: 0, idle: 0 };
  const load = new EventLoopLoad(() => time);
  let now = 0;
  /** The loop is busy for a share of the time, read every 100 ms. */
  const run = (share: number, ms: number) => {
    for (const until = now + ms; now < until; now += 100) {
      load.read(now);
      time.active += share * 100;
      time.idle += (1 - share) * 100;
    }
    load.read(now);
    return load.utilization(now);
  };
  return { time, load, run };
}

describe('EventLoopLoad', () => {
  it('is the share of time in use, of late and not since the process began', () => {
    const { load, run } = loop();
    expect(load).toMatchObject({ name: 'event-loop', intervalMs: 100 });
    expect(run(0.25, 20_000)).toBeCloseTo(0.25, 6);
    run(0, HOUR);
    expect(run(1, 5_000)).toBeGreaterThan(0.99);
    expect(run(0, 1_000)).toBeCloseTo(1 / Math.E, 2);
  });

  it('takes the loop’s own time for the interval, however late it is read', () => {
    const { time, load } = loop();
    load.read(0);
    time.active = 500;
    time.idle = 500;
    // Told a `now` of long before: the reading still covers a second of loop time.
    load.read(10);
    expect(load.utilization(10)).toBeCloseTo(0.5 * (1 - 1 / Math.E), 9);
  });

  it('sees no more than a sixth in a stall of 150 ms each second, and the stall in the lag', () => {
    const { load, run } = loop();
    expect(run(0.15, 20_000)).toBeCloseTo(0.15, 6);
    load.observeLag(150, 20_000);
    load.observeLag(0, 20_100);
    expect(load.lagMs(20_100)).toBeGreaterThan(145);
    expect(load.lagMs(20_100 + HOUR)).toBe(0);
  });

  it('swallows a burst of 50 ms, not one that stays', () => {
    const { run } = loop();
    run(0, 10_000);
    expect(run(0.5, 100)).toBeLessThan(0.05);
    expect(run(0.5, 3_000)).toBeGreaterThan(0.47);
  });

  it('does not count the start of the process, nor what is no time', () => {
    const { time, load } = loop();
    time.active = 3_000;
    load.read(0);
    expect(load.utilization(0)).toBe(0);
    // No time passed, then times that fall.
    load.read(1);
    time.active = 2_000;
    load.read(2);
    time.idle = -1;
    time.active = 9_000;
    load.read(3);
    expect(load.utilization(3)).toBe(0);
    time.idle = 9_999;
    load.read(4);
    time.active += 1_000;
    load.read(5);
    expect(load.utilization(5)).toBeCloseTo(1 - 1 / Math.E, 6);
  });

  it('knows nothing after an hour without a reading', () => {
    const { load, run } = loop();
    expect(run(1, 20_000)).toBeCloseTo(1, 6);
    expect(load.utilization(30_000)).toBeCloseTo(1, 6);
    expect(load.utilization(30_001)).toBe(0);
    expect(load.utilization(HOUR)).toBe(0);
  });

  it('keeps its age when told of an earlier instant', () => {
    const { time, load } = loop();
    load.read(0);
    time.active = 10_000;
    load.read(50_000);
    time.active = 20_000;
    load.read(10);
    expect(load.utilization(60_000)).toBeGreaterThan(0.99);
  });
});
