import { describe, expect, it } from 'vitest';
import { ShareCredit } from './share-credit.js';

function ask(credit: ShareCredit, rank: number, order = 0.5): boolean {
  const passes = credit.passes(rank, order, 1);
  if (passes) credit.take(rank, 1);
  return passes;
}

/** Of 1,000 a second, for so many seconds. */
function passed(credit: ShareCredit, rank: number, seconds: number): number {
  let count = 0;
  for (let slot = 0; slot < seconds * 10; slot++) {
    for (let request = 0; request < 100; request++) if (ask(credit, rank)) count++;
    credit.roll(0.1, 1, 60);
  }
  return count;
}

describe('ShareCredit', () => {
  it('lets pass what the share is, and a second of it at once', () => {
    const credit = new ShareCredit();
    expect(passed(credit, 3, 1)).toBe(1_000);
    credit.hold(3, 20);
    expect(Math.abs(passed(credit, 3, 10) - 220)).toBeLessThanOrEqual(2);
    // Nothing is saved up beyond that.
    credit.roll(100, 1, 60);
    expect(Math.abs(passed(credit, 3, 1) - 38)).toBeLessThanOrEqual(2);
    credit.release();
    expect(ask(credit, 0)).toBe(true);
  });

  it('falls slowly: a demand that is read low once is noise', () => {
    const credit = new ShareCredit();
    credit.hold(3, 100);
    passed(credit, 3, 2);
    credit.hold(3, 10);
    expect(Math.abs(passed(credit, 3, 10) - 950)).toBeLessThanOrEqual(2);
    for (let levels = 0; levels < 100; levels++) credit.hold(3, 10);
    expect(Math.abs(passed(credit, 3, 10) - 100)).toBeLessThanOrEqual(10);
    credit.hold(3, 50);
    expect(Math.abs(passed(credit, 3, 10) - 500)).toBeLessThanOrEqual(10);
  });

  it('leaves to the more critical what the others may not use', () => {
    const credit = new ShareCredit();
    credit.hold(3, 100);
    while (ask(credit, 0));
    expect(ask(credit, 0)).toBe(false);
    expect(ask(credit, 2)).toBe(true);
    while (ask(credit, 2));
    expect([ask(credit, 1), ask(credit, 2), ask(credit, 3)]).toEqual([false, false, true]);
  });

  it('holds those up to its step only', () => {
    const credit = new ShareCredit();
    credit.hold(0, 0);
    expect([ask(credit, 0), ask(credit, 1)]).toEqual([false, true]);
    // Nor is it used up by others.
    credit.hold(0, 10);
    credit.hold(1, 10);
    expect(ask(credit, 1)).toBe(true);
    credit.take(2, 1_000);
    expect(ask(credit, 1)).toBe(true);
  });

  it('keeps its credit when the share moves, and begins anew for another step', () => {
    const credit = new ShareCredit();
    credit.hold(3, 10);
    while (ask(credit, 3));
    credit.hold(3, 11);
    expect(ask(credit, 3)).toBe(false);
    credit.hold(2, 11);
    expect(ask(credit, 2)).toBe(true);
  });

  it('begins at another part of a request at each backend, where a share is less than one', () => {
    const waits = [0.1, 0.5, 0.9, Number.NaN, 7, -1].map((order) => {
      const credit = new ShareCredit();
      credit.hold(3, 0.1);
      let slots = 0;
      for (; !ask(credit, 3, order); slots++) credit.roll(0.1, 1, 60);
      return slots;
    });
    expect(waits[0]).toBeLessThan(waits[1]!);
    expect(waits[1]).toBeLessThan(waits[2]!);
    // What is no place in the order is half-way.
    expect(waits.slice(3)).toEqual([waits[1], waits[1], waits[1]]);
  });

  it('owes what cost more than was assumed, within bounds', () => {
    const credit = new ShareCredit();
    credit.hold(3, 10);
    ask(credit, 3);
    credit.take(3, 1e9);
    credit.roll(0.1, 1, 2);
    // Two seconds, and one request more.
    credit.roll(2, 1, 2);
    expect(ask(credit, 3)).toBe(false);
    credit.roll(0.3, 1, 2);
    expect(ask(credit, 3)).toBe(true);
  });
});
