import { describe, expect, it } from 'vitest';
import { SlotClock } from './slot-clock.js';

describe('SlotClock', () => {
  it('advances by the slots that have passed, not by one a call', () => {
    const clock = new SlotClock({ windowMs: 1_000, slots: 4 });
    expect(clock.length).toBe(5);
    // The first call begins all: nothing of an earlier life may be left.
    expect([clock.advance(100), clock.index]).toEqual([5, 0]);
    expect([clock.advance(249), clock.index]).toEqual([0, 0]);
    expect([clock.advance(250), clock.index]).toEqual([1, 1]);
    expect([clock.advance(1_000), clock.index]).toEqual([3, 4]);
    expect([clock.advance(1_250), clock.index]).toEqual([1, 0]);
    expect([clock.advance(1_250 + 3_600_000), clock.index]).toEqual([5, 0]);
  });

  it('stays where it is for an older now, and does not begin the slot again afterwards', () => {
    const clock = new SlotClock({ windowMs: 1_000, slots: 4 });
    clock.advance(600);
    expect([clock.advance(400), clock.index]).toEqual([0, 0]);
    expect([clock.advance(700), clock.index]).toEqual([0, 0]);
  });

  it('works before zero, as the origin of a clock means nothing', () => {
    const clock = new SlotClock({ windowMs: 1_000, slots: 4 });
    clock.advance(-300);
    expect([clock.advance(-251), clock.index]).toEqual([0, 0]);
    expect([clock.advance(-250), clock.index]).toEqual([1, 1]);
    expect([clock.advance(0), clock.index]).toEqual([1, 2]);
  });

  it('refuses impossible options', () => {
    expect(() => new SlotClock({ windowMs: 0, slots: 4 })).toThrow(
      'windowMs must be a finite number > 0, got 0',
    );
    expect(() => new SlotClock({ windowMs: 1_000, slots: 0 })).toThrow(
      'slots must be an integer >= 1, got 0',
    );
  });
});
