import { describe, expect, it } from 'vitest';
import { Slowdown } from './slowdown.js';

/** Reads every 100 ms of which the loop was active and on a processor for so long. */
function make(most = 8) {
  const told: number[] = [];
  let [now, cpu, active] = [0, 50, 1_000];
  const slowdown = new Slowdown({ cpuMs: () => cpu, loopTime: () => ({ active, idle: 0 }) }, most, (times) =>
    told.push(times),
  );
  slowdown.read(now);
  const read = (activeMs: number, cpuMs: number, passedMs = 100) => {
    now += passedMs;
    cpu += cpuMs;
    active += activeMs;
    slowdown.read(now);
    return slowdown.times;
  };
  return { slowdown, told, read };
}

describe('Slowdown', () => {
  it('is 1 while the loop has its processor, and while nothing is known', () => {
    const { slowdown, read, told } = make();
    expect(slowdown.times).toBe(1);
    expect([read(80, 80), read(80, 120), read(0, 0)]).toEqual([1, 1, 1]);
    expect(told).toEqual([1, 1, 1, 1]);
  });

  it('is as many times as long as the loop is busy for what it uses, up to a bound', () => {
    const { read } = make();
    expect(read(100, 25)).toBe(4);
    expect(read(100, 20)).toBe(5);
    expect(read(100, 0)).toBe(8);
  });

  it('is forgotten within seconds, and after an idle hour', () => {
    const { read } = make();
    read(100, 20);
    expect(read(50, 50)).toBeCloseTo(1 + 4 * Math.exp(-0.1), 6);
    for (let i = 0; i < 50; i++) read(50, 50);
    expect(read(50, 50)).toBeLessThan(1.05);
    read(100, 20);
    expect(read(2, 0, 3_600_000)).toBe(1);
  });

  it('goes by how long the thread was held up, where that is known', () => {
    let [cpu, heldUp] = [10, 500];
    const slowdown = new Slowdown(
      { cpuMs: () => cpu, loopTime: () => ({ active: 0, idle: 0 }), heldUpMs: () => heldUp },
      8,
      () => {},
    );
    slowdown.read(0);
    cpu += 10;
    heldUp += 20;
    slowdown.read(100);
    expect(slowdown.times).toBe(3);
  });

  it('believes no clock that goes back, and no crumbs', () => {
    const { read } = make();
    expect([read(100, -10), read(4, 0)]).toEqual([1, 1]);
  });
});
