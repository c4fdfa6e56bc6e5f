import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { attempt } from './attempt.js';
import type { Perform } from './overflow-options.js';
import type { QueuedRequest } from './queued-request.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const REQUEST = { id: 'id' } as QueuedRequest;

function trial(perform: Perform, end = new AbortController()) {
  const options = { attemptMs: 100, maxResultBytes: 9, cutOff: end.signal };
  const outcome = attempt(perform, REQUEST, options).catch((error: Error) => error.message);
  return { outcome, end };
}

describe('an attempt', () => {
  it('gives what it gets, and leaves no timer behind', async () => {
    const perform = vi.fn<Perform>(async () => ({ status: 204 }));
    expect(await trial(perform).outcome).toEqual({ status: 204 });
    expect(perform).toHaveBeenCalledWith(REQUEST, { signal: expect.any(AbortSignal), maxResultBytes: 9 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['an error', () => Promise.reject(new Error('no')), 'no'],
    ['one thrown at once', () => raise(new Error('now')), 'now'],
    ['no error', () => Promise.reject('text'), 'text'],
    ['an empty one', () => Promise.reject(new Error('')), 'it failed without a word'],
    ['a long one', () => Promise.reject(new Error('x'.repeat(501))), 'x'.repeat(500)],
  ] as [string, Perform, string][])('fails with %s', async (_, perform, message) => {
    expect(await trial(perform).outcome).toBe(message);
  });

  it('is over when it takes too long, whether or not it listens', async () => {
    const signals: AbortSignal[] = [];
    const { outcome } = trial((_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    await vi.advanceTimersByTimeAsync(99);
    expect(signals[0]!.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe('it took longer than 100 ms');
    expect(signals[0]!.aborted).toBe(true);
  });

  it('is over when it is cut off, and does not begin after that', async () => {
    const perform = vi.fn<Perform>(() => new Promise(() => {}));
    const { outcome, end } = trial(perform);
    end.abort();
    expect(await outcome).toBe('it was cut off: its process was closed');
    expect(await trial(perform, end).outcome).toBe('it was cut off: its process was closed');
    expect(perform).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });
});

function raise(error: Error): never {
  throw error;
}
