import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sampler, type SamplerOptions } from './sampler.js';

/** Readings that note when they were read. */
function recording(intervals: Record<string, number>) {
  const times: Record<string, number[]> = {};
  const readings = Object.entries(intervals).map(([name, intervalMs]) => {
    const at: number[] = [];
    times[name] = at;
    return { name, intervalMs, read: (now: number) => void at.push(now) };
  });
  return { times, readings };
}

const stopped: SamplerOptions = { monotonicMs: () => 0 };

describe('Sampler.poll', () => {
  it('reads each when it is due, all of them at first', () => {
    const { times, readings } = recording({ fast: 100, slow: 250 });
    const sampler = new Sampler(readings, stopped);
    for (let now = 0; now <= 500; now += 50) sampler.poll(now);
    expect(times).toEqual({ fast: [0, 100, 200, 300, 400, 500], slow: [0, 250, 500] });
  });

  it('takes one that is less than a millisecond early as due', () => {
    const { times, readings } = recording({ fast: 100 });
    const sampler = new Sampler(readings, stopped);
    for (const now of [0, 98.9, 99.2, 198.1, 198.2]) sampler.poll(now);
    expect(times['fast']).toEqual([0, 99.2, 198.2]);
  });

  it('reads once after a pause, however long, and goes on from there', () => {
    const { times, readings } = recording({ fast: 100, slow: 1_000 });
    const sampler = new Sampler(readings, stopped);
    for (const now of [0, 3_600_000, 3_600_050, 3_600_100]) sampler.poll(now);
    expect(times).toEqual({ fast: [0, 3_600_000, 3_600_100], slow: [0, 3_600_000] });
  });

  it('counts what fails and reads the others', () => {
    const { times, readings } = recording({ fast: 100 });
    const broken = {
      name: 'broken',
      intervalMs: 100,
      read: () => {
        throw new Error('EMFILE');
      },
    };
    const sampler = new Sampler([broken, ...readings], stopped);
    for (const now of [0, 50, 100]) sampler.poll(now);
    expect(times['fast']).toEqual([0, 100]);
    expect(sampler.failures()).toEqual({ broken: 2, fast: 0 });
  });

  it('refuses an impossible interval', () => {
    const { readings } = recording({ fast: 0 });
    expect(() => new Sampler(readings, stopped)).toThrow(
      'intervalMs of fast must be a finite number > 0, got 0',
    );
  });
});

describe('Sampler.start', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  function started(intervals: Record<string, number>) {
    const { times, readings } = recording(intervals);
    const late: number[] = [];
    let stallMs = 0;
    const monotonicMs = () => performance.now() + stallMs;
    const startMs = monotonicMs();
    const sampler = new Sampler(readings, { monotonicMs, onLate: (lateMs) => void late.push(lateMs) });
    sampler.start();
    const since = (name: string) => times[name]!.map((at) => at - startMs);
    const stall = (ms: number) => {
      stallMs += ms;
    };
    return { sampler, since, late, stall };
  }

  it('reads at once and from then on by itself', () => {
    const { since, late } = started({ fast: 100, slow: 1_000 });
    vi.advanceTimersByTime(300);
    expect(since('fast')).toEqual([0, 100, 200, 300]);
    expect(since('slow')).toEqual([0]);
    expect(late).toEqual([0, 0, 0]);
  });

  it('does not read again by timer what was just polled', () => {
    const { sampler, since } = started({ fast: 100 });
    vi.advanceTimersByTime(90);
    sampler.poll(performance.now() + 10);
    vi.advanceTimersByTime(20);
    expect(since('fast')).toEqual([0, 100]);
  });

  it('says how late its timers are', () => {
    const { since, late, stall } = started({ fast: 100 });
    stall(150);
    vi.advanceTimersByTime(200);
    expect(late).toEqual([150, 0]);
    expect(since('fast')).toEqual([0, 250, 350]);
  });

  it('stops, and has one timer however often it is started', () => {
    const { sampler } = started({ fast: 100 });
    sampler.start();
    expect(vi.getTimerCount()).toBe(1);
    sampler.stop();
    sampler.stop();
    expect(vi.getTimerCount()).toBe(0);
    sampler.start();
    expect(vi.getTimerCount()).toBe(1);
  });

  it('needs nobody who wants to know how late it is', () => {
    const { times, readings } = recording({ fast: 100 });
    new Sampler(readings, { monotonicMs: () => performance.now() }).start();
    vi.advanceTimersByTime(100);
    expect(times['fast']).toHaveLength(2);
  });

  it('has nothing to do without readings', () => {
    new Sampler([], stopped).start();
    expect(vi.getTimerCount()).toBe(0);
  });
});
