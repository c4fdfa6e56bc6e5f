import { describe, expect, it } from 'vitest';
import { Kernel } from './kernel.js';
import { Timer } from './timer.js';

describe('Timer', () => {
  it('does its action each time it is set, and is told when it is', () => {
    const kernel = new Kernel();
    const rung: number[] = [];
    const timer = new Timer((now) => rung.push(now));
    kernel.at(5, timer);
    kernel.runUntil(6);
    kernel.after(1, timer);
    kernel.runUntil(100);
    expect(rung).toEqual([5, 7]);
    expect(timer.isScheduled).toBe(false);
  });

  it('set again before it rings, rings once, at the later word', () => {
    const kernel = new Kernel();
    const rung: number[] = [];
    const timer = new Timer((now) => rung.push(now));
    kernel.at(50, timer);
    kernel.at(20, timer);
    kernel.runUntil(100);
    expect(rung).toEqual([20]);
  });

  it('may set itself again, and be called off', () => {
    const kernel = new Kernel();
    const rung: number[] = [];
    const timer: Timer = new Timer((now) => {
      rung.push(now);
      kernel.after(10, timer);
    });
    kernel.after(10, timer);
    kernel.runUntil(35);
    kernel.cancel(timer);
    kernel.runUntil(100);
    expect(rung).toEqual([10, 20, 30]);
  });
});
