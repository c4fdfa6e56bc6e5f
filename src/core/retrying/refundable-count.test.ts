import { describe, expect, it } from 'vitest';
import { RefundableCount } from './refundable-count.js';

const WINDOW = { windowMs: 1_000, slots: 4 };

describe('RefundableCount', () => {
  it('counts what lies within the window', () => {
    const count = new RefundableCount(WINDOW);
    expect(count.total(0)).toBe(0);
    count.add(0);
    count.add(300);
    count.add(310);
    expect(count.total(1_249)).toBe(3);
    expect(count.total(1_250)).toBe(2);
    expect(count.total(1_500)).toBe(0);
  });

  it('is empty after an idle hour, whether it is read or written next', () => {
    const count = new RefundableCount(WINDOW);
    for (let now = 0; now < 1_000; now += 10) count.add(now);
    count.add(3_600_000);
    expect(count.total(3_600_000)).toBe(1);
    expect(count.total(7_200_000)).toBe(0);
    count.add(7_200_000);
    count.add(10_800_000);
    count.takeBack(7_200_000);
    expect(count.total(10_800_000)).toBe(1);
  });

  it('takes an event out of the slot it was in', () => {
    const count = new RefundableCount(WINDOW);
    count.add(0);
    count.add(600);
    count.takeBack(0);
    expect([900, 1_250, 1_749, 1_750].map((now) => count.total(now))).toEqual([1, 1, 1, 0]);
  });

  it('takes back nothing that has left, was never there, or lies ahead', () => {
    const count = new RefundableCount(WINDOW);
    count.add(0);
    count.add(1_249);
    count.takeBack(300);
    count.takeBack(5_000);
    count.takeBack(Number.NaN);
    expect(count.total(1_249)).toBe(2);
    // One turn of the ring after 0 its slot is filling anew.
    expect(count.total(1_250)).toBe(1);
    count.takeBack(0);
    expect(count.total(1_250)).toBe(1);
    count.takeBack(1_249);
    count.takeBack(1_249);
    expect(count.total(1_250)).toBe(0);
    count.add(1_250);
    count.takeBack(0);
    expect(count.total(1_250)).toBe(1);
  });

  it('takes back rightly after a call that came late', () => {
    const count = new RefundableCount(WINDOW);
    count.add(100);
    count.add(700);
    expect(count.total(400)).toBe(2);
    count.takeBack(100);
    expect(count.total(1_249)).toBe(1);
    expect(count.total(1_250)).toBe(1);
  });
});
