import { describe, expect, it, vi } from 'vitest';
import { WaitingCount } from './waiting-count.js';

describe('a count of those that wait', () => {
  it('is made once a second, and goes on by itself in between', async () => {
    let now = 0;
    let there = 5;
    const count = vi.fn(async () => there);
    const waiting = new WaitingCount(count, () => now);
    expect(await Promise.all([waiting.isBelow(6), waiting.isBelow(5)])).toEqual([true, false]);
    expect(count).toHaveBeenCalledOnce();
    waiting.added();
    expect([waiting.known, await waiting.isBelow(6)]).toEqual([6, false]);
    there = 0;
    now = 999;
    expect(await waiting.isBelow(6)).toBe(false);
    now = 1_000;
    expect(await waiting.isBelow(6)).toBe(true);
    expect([waiting.known, count.mock.calls.length]).toEqual([0, 2]);
  });

  it('is made anew for whoever looks at it, too', async () => {
    let now = 0;
    const count = vi.fn(async () => 0);
    const waiting = new WaitingCount(count, () => now);
    await waiting.refresh();
    waiting.added();
    await waiting.refresh();
    expect([waiting.known, count.mock.calls.length]).toEqual([1, 1]);
    now = 1_000;
    await Promise.all([waiting.refresh(), waiting.refresh()]);
    expect([waiting.known, count.mock.calls.length]).toEqual([0, 2]);
  });

  it('rejects when it cannot be made, and is tried anew', async () => {
    const count = vi
      .fn<() => Promise<number>>()
      .mockRejectedValueOnce(new Error('gone'))
      .mockResolvedValue(1);
    const waiting = new WaitingCount(count, () => 0);
    await expect(waiting.isBelow(2)).rejects.toThrow('gone');
    expect(await waiting.isBelow(2)).toBe(true);
  });
});
