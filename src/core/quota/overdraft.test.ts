import { describe, expect, it } from 'vitest';
import { Overdraft } from './overdraft.js';

const { POSITIVE_INFINITY } = Number;
const LIMITS = [5, POSITIVE_INFINITY, POSITIVE_INFINITY, 10];

describe('Overdraft', () => {
  it('begins with what may be saved up, and is paid by what is left unused', () => {
    const overdraft = new Overdraft(2_000, LIMITS);
    overdraft.add([0, 0, 30, 0], 1, LIMITS);
    expect(overdraft.isOwed(3)).toBe(false);
    overdraft.add([0, 0, 15, 0], 1, LIMITS);
    expect(overdraft.isOwed(3)).toBe(true);
    // Of another step, nothing.
    expect(overdraft.isOwed(0)).toBe(false);
    overdraft.add([0, 0, 5, 0], 1, LIMITS);
    expect(overdraft.isOwed(3)).toBe(false);
  });

  it('saves up no more than that, however long nothing is used', () => {
    const isOwedAfter = (cost: number) => {
      const overdraft = new Overdraft(2_000, LIMITS);
      overdraft.add([0, 0, 0, 0], 3_600, LIMITS);
      overdraft.add([0, 0, cost, 0], 1, LIMITS);
      return overdraft.isOwed(3);
    };
    expect([isOwedAfter(29), isOwedAfter(31)]).toEqual([false, true]);
  });

  it.each([0, 2_000])(
    'saves up nothing of a limit that is none, and counts from its first second on (%d ms)',
    (burstMs) => {
      const none = LIMITS.map(() => POSITIVE_INFINITY);
      for (const seconds of [0, 1, 1_000]) {
        const overdraft = new Overdraft(burstMs, none);
        if (seconds > 0) overdraft.add([0, 0, 99, 0], seconds, none);
        expect(overdraft.isOwed(3)).toBe(false);
        overdraft.add([0, 0, 11, 0], 1, LIMITS);
        expect(overdraft.isOwed(3)).toBe(true);
      }
    },
  );

  it('counts lower criticalities with the higher ones', () => {
    const overdraft = new Overdraft(0, LIMITS);
    overdraft.add([6, 3, 0, 2], 1, LIMITS);
    expect([0, 1, 2, 3].map((top) => overdraft.isOwed(top))).toEqual([true, false, false, true]);
    overdraft.clear();
    expect(overdraft.isOwed(3)).toBe(false);
  });

  it('is no more than a minute takes to pay', () => {
    const overdraft = new Overdraft(0, LIMITS);
    overdraft.add([0, 0, 1e9, 0], 1, LIMITS);
    overdraft.add([0, 0, 0, 0], 59, LIMITS);
    expect(overdraft.isOwed(3)).toBe(true);
    overdraft.add([0, 0, 0, 0], 1, LIMITS);
    expect(overdraft.isOwed(3)).toBe(false);
  });
});
