import { describe, expect, it } from 'vitest';
import { SamplingSchedule } from './sampling-schedule.js';

const EVENT_MS = 0.001;

function schedule(duty: number | 'auto' = 'auto', random = () => 0.5) {
  return new SamplingSchedule({ budget: 0.01, duty }, EVENT_MS, random);
}

describe('SamplingSchedule', () => {
  it('measures nothing before its first step, and opens with it', () => {
    const windows = schedule();
    expect([windows.isOpen, windows.isMeasuring, windows.window]).toEqual([false, false, 0]);
    expect(windows.step(0, 0, 0, 0)).toBe(50);
    expect([windows.isOpen, windows.isMeasuring, windows.window]).toEqual([true, true, 1]);
  });

  it('stays open while measuring costs less than its budget', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    // 500 events of 1 µs in 50 ms of CPU are 1 %.
    for (let step = 1; step <= 100; step++) {
      expect(windows.step(step * 50, step * 500, step * 50, 10)).toBe(50);
      expect(windows.isOpen).toBe(true);
    }
    expect(windows.window).toBe(1);
  });

  it('stays open in an idle process', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    expect(windows.step(50, 1, 0.5, 0)).toBe(50);
    expect(windows.isOpen).toBe(true);
  });

  it('closes as soon as a burst makes it too dear', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    for (let step = 1; step <= 100; step++) windows.step(step * 50, 0, step, 0);
    windows.step(5_050, 10_000, 150, 0);
    expect(windows.isMeasuring).toBe(false);
  });

  it('is closed for so long that the budget is kept on average', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    // 10 ms of 50 are 20 %: a duty of 1 in 20, 50 ms of 1,000.
    expect(windows.step(50, 10_000, 50, 0)).toBe(950);
    expect(windows.isMeasuring).toBe(false);
    expect(windows.step(1_000, 10_000, 1_000, 0)).toBe(50);
    expect(windows.window).toBe(2);
    // It counts from the opening.
    expect(windows.step(1_050, 20_000, 1_050, 0)).toBe(950);
  });

  it('is closed for half to one and a half times that, by chance', () => {
    const least = schedule('auto', () => 0);
    least.step(0, 0, 0, 0);
    expect(least.step(50, 10_000, 50, 0)).toBe(475);
    const most = schedule('auto', () => 1);
    most.step(0, 0, 0, 0);
    expect(most.step(50, 10_000, 50, 0)).toBe(1_425);
  });

  it('follows those that it took in to their end, and takes in no more', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    expect(windows.step(50, 10_000, 50, 3)).toBe(5);
    expect([windows.isOpen, windows.isMeasuring]).toEqual([false, true]);
    expect(windows.step(55, 11_000, 55, 1)).toBe(5);
    // On for 60 ms, with 12 ms of events: a duty of 1 in 20 again.
    expect(windows.step(60, 12_000, 60, 0)).toBe(1_140);
    expect(windows.isMeasuring).toBe(false);
  });

  it('does not follow them for longer than a second', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    windows.step(50, 10_000, 50, 1);
    expect(windows.step(1_049, 200_000, 1_049, 1)).toBe(5);
    windows.step(1_050, 200_000, 1_050, 1);
    expect(windows.isMeasuring).toBe(false);
  });

  it('looks every ten seconds at least', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    windows.step(50, 10_000, 50, 1);
    expect(windows.step(1_050, 210_000, 1_050, 1)).toBe(10_000);
  });

  it('measures a hundredth of the time at least', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    expect(windows.step(50, 1e9, 50, 0)).toBeCloseTo(50 * 99, 6);
  });

  it('keeps to a share that was given', () => {
    const windows = schedule(0.2);
    windows.step(0, 0, 0, 0);
    expect(windows.step(50, 0, 0, 0)).toBe(200);
    const all = schedule(1);
    all.step(0, 0, 0, 0);
    expect(all.step(50, 1e9, 1, 0)).toBe(50);
    expect(all.isOpen).toBe(true);
  });

  it('closes at once when the time it trails has made it cheap', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    windows.step(50, 1_000, 50, 1);
    expect(windows.step(55, 1_000, 1_000, 0)).toBe(0);
    expect(windows.isMeasuring).toBe(false);
  });

  it('begins anew after a reset', () => {
    const windows = schedule();
    windows.step(0, 0, 0, 0);
    windows.reset();
    expect(windows.isMeasuring).toBe(false);
    windows.step(10, 0, 0, 0);
    expect(windows.window).toBe(2);
  });

  it('refuses events that take no time', () => {
    expect(() => new SamplingSchedule({ budget: 0.01, duty: 'auto' }, 0, () => 0)).toThrow(
      'eventMs must be a finite number > 0, got 0',
    );
  });
});
