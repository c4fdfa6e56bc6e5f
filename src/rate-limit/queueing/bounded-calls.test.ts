import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BoundedCalls } from './bounded-calls.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A client whose calls are answered by hand. */
function aClient() {
  const client = { status: 'ready', disconnect: vi.fn() };
  const calls = new BoundedCalls(client, 100, Date.now);
  const said: string[] = [];
  const ask = (work: Promise<string>, onLate?: () => void) =>
    calls
      .call(() => work, onLate)
      .then(
        (answer) => said.push(answer),
        (error: Error) => said.push(error.message),
      );
  return { client, calls, said, ask };
}

const never = new Promise<never>(() => {});

describe('bounded calls', () => {
  it('are answered, or fail as the call does', async () => {
    const { calls, said, ask } = aClient();
    ask(Promise.resolve('yes'));
    ask(Promise.reject(new Error('no')));
    await vi.advanceTimersByTimeAsync(0);
    expect(said).toEqual(['yes', 'no']);
    expect(calls.pending).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are not made without a connection', async () => {
    const { client, calls } = aClient();
    client.status = 'reconnecting';
    const work = vi.fn();
    await expect(calls.call(work)).rejects.toMatchObject({ code: 'PLIMSOLL_STORE_UNAVAILABLE' });
    expect(work).not.toHaveBeenCalled();
  });

  it('fail in time, and it is told when one ends well after all', async () => {
    const { calls, said, ask } = aClient();
    const onLate = vi.fn();
    let answer = (_: string): void => {};
    ask(
      new Promise((resolve) => {
        answer = resolve;
      }),
      onLate,
    );
    await vi.advanceTimersByTimeAsync(99);
    expect(said).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toEqual(['the queue is not available: no answer within 100 ms']);
    expect([calls.pending, onLate.mock.calls.length]).toEqual([1, 0]);
    answer('late');
    await vi.advanceTimersByTimeAsync(0);
    expect([calls.pending, onLate.mock.calls.length]).toEqual([0, 1]);
  });

  it('are no more than a thousand at once', async () => {
    const { calls, said, ask } = aClient();
    for (let i = 0; i < 1_001; i++) ask(never);
    await vi.advanceTimersByTimeAsync(0);
    expect(said).toEqual(['the queue is not available: 1000 calls are under way']);
    expect(calls.pending).toBe(1_000);
  });

  it('leave a connection that has been silent for four time limits, once', async () => {
    const { client, ask } = aClient();
    ask(never);
    await vi.advanceTimersByTimeAsync(399);
    ask(never);
    expect(client.disconnect).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    for (let i = 0; i < 5; i++) ask(never);
    expect(client.disconnect.mock.calls).toEqual([[true]]);
    await vi.advanceTimersByTimeAsync(400);
    ask(never);
    expect(client.disconnect).toHaveBeenCalledTimes(2);
  });
});
