import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLimiter, type Limiter } from './limiter.js';
import { WaitingTurns } from './waiting-turns.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Leaves a note when it is done, and how. */
function note(notes: string[], name: string, promise: Promise<void>): void {
  promise.then(
    () => notes.push(name),
    (error) => notes.push(`${name} ${error.name === 'AbortError' ? error.name : error.code}`),
  );
}

describe('WaitingTurns', () => {
  it('waits as long as it is told, also if that is longer than a timer can be', async () => {
    const turns = new WaitingTurns();
    const notes: string[] = [];
    note(notes, 'now', turns.wait(0, undefined));
    note(notes, 'soon', turns.wait(10, undefined));
    note(notes, 'a month', turns.wait(30 * 86_400_000, undefined));
    await vi.advanceTimersByTimeAsync(9);
    expect(notes).toEqual(['now']);
    await vi.advanceTimersByTimeAsync(1);
    expect(notes).toEqual(['now', 'soon']);
    await vi.advanceTimersByTimeAsync(30 * 86_400_000 - 11);
    expect(notes).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(notes).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves neither timer nor listener behind', async () => {
    const turns = new WaitingTurns();
    const notes: string[] = [];
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    note(notes, 'closed', turns.wait(10, signal));
    turns.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(notes).toEqual(['closed PLIMSOLL_LIMITED']);
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledOnce();
  });
});

describe('Limiter.schedule', () => {
  let limiter: Limiter;
  const make = (options = {}) =>
    createLimiter({ algorithm: 'leaking-bucket', rate: '2/s', burst: 3, ...options });
  afterEach(() => limiter.close());

  it('lets them go at a constant rate, in order, each key for itself', async () => {
    limiter = make();
    const notes: string[] = [];
    for (const name of ['1', '2', '3', '4', '5']) note(notes, name, limiter.schedule('a'));
    note(notes, 'b', limiter.schedule('b'));
    await vi.advanceTimersByTimeAsync(1);
    expect(notes.sort()).toEqual(['1', '5 PLIMSOLL_LIMITED', 'b']);
    await vi.advanceTimersByTimeAsync(500);
    expect(notes).toHaveLength(4);
    expect(notes[3]).toBe('2');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(notes.slice(4)).toEqual(['3', '4']);
  });

  it('says when there will be room, or that there never will', async () => {
    limiter = make();
    const all = Promise.allSettled(Array.from({ length: 5 }, () => limiter.schedule('a')));
    await vi.advanceTimersByTimeAsync(2_000);
    const [, , , , last] = await all;
    expect(last).toMatchObject({ reason: { code: 'PLIMSOLL_LIMITED', retry: 'later', retryAfterMs: 500 } });
    await expect(limiter.schedule('a', { cost: 4 })).rejects.toMatchObject({
      retry: 'no',
      retryAfterMs: undefined,
    });
  });

  it('can be given up', async () => {
    limiter = make();
    const controller = new AbortController();
    const notes: string[] = [];
    await limiter.schedule('a');
    note(notes, 'given up', limiter.schedule('a', { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(notes).toEqual(['given up AbortError']);
    await expect(limiter.schedule('b', { signal: controller.signal })).rejects.toThrow('aborted');
  });

  it('lets only so many wait in all, and those no longer that have gone', async () => {
    limiter = make({ maxWaiting: 2 });
    const notes: string[] = [];
    for (const key of ['a', 'a', 'b']) note(notes, key, limiter.schedule(key));
    await vi.advanceTimersByTimeAsync(0);
    expect(notes.sort()).toEqual(['a', 'b PLIMSOLL_LIMITED']);
    await vi.advanceTimersByTimeAsync(500);
    await limiter.schedule('b');
  });

  it('is for the leaking bucket, and for a limiter that is open', async () => {
    limiter = make({ algorithm: 'gcra' });
    await expect(limiter.schedule('a')).rejects.toThrow(
      'algorithm must be leaking-bucket to schedule, got gcra',
    );
    limiter = make();
    const notes: string[] = [];
    for (const name of ['1', '2']) note(notes, name, limiter.schedule('a'));
    await vi.advanceTimersByTimeAsync(1);
    await limiter.close();
    await expect(limiter.schedule('a')).rejects.toMatchObject({ code: 'PLIMSOLL_LIMITED', retry: 'no' });
    expect(notes).toEqual(['1', '2 PLIMSOLL_LIMITED']);
  });
});
