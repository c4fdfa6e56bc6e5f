import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../core/evenly.contract.js';
import { LocalClock } from './local-clock.js';

const instant = evenly(0, 1e8);
const anyClock = fc
  .record({
    offset: evenly(-1e12, 1e12),
    changes: fc.array(
      fc.record({
        gap: evenly(0, 1e6),
        rate: evenly(0.5, 2),
        jump: fc.oneof(fc.constant(0), evenly(0, 1e6)),
      }),
      { maxLength: 5 },
    ),
  })
  .map(({ offset, changes }) => {
    const clock = new LocalClock(offset);
    let now = 0;
    for (const { gap, rate, jump } of changes) {
      now += gap;
      clock.change(now, rate, jump);
    }
    return { clock, now };
  });

describe('LocalClock', () => {
  it('is the global one when nothing was said', () => {
    const clock = new LocalClock();
    for (const at of [0, 0.1, 1e9 + 0.3]) {
      expect(clock.toLocal(at)).toBe(at);
      expect(clock.toGlobal(at)).toBe(at);
    }
  });

  it('starts at its offset, and goes at its rate from a change on', () => {
    const clock = new LocalClock(500);
    expect(clock.toLocal(0)).toBe(500);
    clock.change(100, 2, 0);
    expect(clock.toLocal(100)).toBe(600);
    expect(clock.toLocal(110)).toBe(620);
    expect(clock.toGlobal(620)).toBe(110);
    clock.change(110, 0.5, 1_000);
    expect(clock.toLocal(110)).toBe(1_620);
    expect(clock.toLocal(120)).toBe(1_625);
    expect(clock.toGlobal(1_625)).toBe(120);
  });

  it('has been at what it leapt over since the leap', () => {
    const clock = new LocalClock();
    clock.change(100, 1, 50);
    expect([99, 100, 149, 150, 151].map((local) => clock.toGlobal(local))).toEqual([100, 100, 100, 100, 101]);
    expect(clock.toLocal(99)).toBe(150);
    expect(clock.toGlobal(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it('never goes back, also when it is changed late', () => {
    const clock = new LocalClock();
    clock.change(100, 2, 0);
    clock.change(90, 1, 0);
    expect(clock.toLocal(100)).toBe(100);
    expect(clock.toLocal(101)).toBe(101);
    fc.assert(
      fc.property(anyClock, instant, instant, ({ clock, now }, one, other) => {
        const [early, late] = [now + Math.min(one, other), now + Math.max(one, other)];
        expect(clock.toLocal(late)).toBeGreaterThanOrEqual(clock.toLocal(early));
      }),
    );
  });

  it('shows a time at the instant that is said of it, and not long before', () => {
    fc.assert(
      fc.property(anyClock, instant, ({ clock, now }, ahead) => {
        const local = clock.toLocal(now) + ahead;
        const global = clock.toGlobal(local);
        expect(clock.toLocal(global)).toBeGreaterThanOrEqual(local);
        expect(global).toBeGreaterThanOrEqual(now);
        // 10^12 ms are told apart to a thousandth.
        if (global - 0.001 > now) expect(clock.toLocal(global - 0.001)).toBeLessThan(local);
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuses to stand still or go back', () => {
    const clock = new LocalClock();
    expect(() => clock.change(0, 0, 0)).toThrow('rate must be a finite number > 0, got 0');
    expect(() => clock.change(0, 1, -1)).toThrow('jumpMs must be a finite number >= 0, got -1');
    expect(() => new LocalClock(Number.NaN)).toThrow('offsetMs must be finite, got NaN');
  });
});
