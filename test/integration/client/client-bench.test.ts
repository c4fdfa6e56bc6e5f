import { describe, expect, it } from 'vitest';
import { Worker } from '../../../bench/client/backends/worker.js';
import { clientBenchOptions } from '../../../bench/client/options.js';

describe('the worker of a backend in the client bench', () => {
  it('takes one request after the other', () => {
    const worker = new Worker(4);
    expect([worker.take(100), worker.take(101), worker.take(120)]).toEqual([104, 108, 124]);
  });

  it('knows how much it has done, and which share of the last second that was', () => {
    const worker = new Worker(4);
    for (let now = 0; now < 3_000; now += 10) {
      if (now % 100 === 0) worker.note(now);
      worker.take(now);
    }
    expect(worker.doneMs(3_000)).toBe(1_200);
    expect(worker.busyShare(3_000)).toBeCloseTo(0.4, 2);
    for (let now = 3_000; now < 5_000; now += 100) worker.note(now);
    expect(worker.busyShare(5_000)).toBe(0);
  });

  it('is never more than busy', () => {
    const worker = new Worker(50);
    for (let now = 0; now < 1_000; now += 100) {
      worker.note(now);
      for (let i = 0; i < 20; i++) worker.take(now);
    }
    expect(worker.busyShare(1_000)).toBe(1);
  });
});

describe('the flags of the client bench', () => {
  it('have defaults, and are read', () => {
    expect(clientBenchOptions({})).toMatchObject({
      only: ['restart', 'kill', 'lame-duck', 'slow', 'overhead'],
      requests: 100_000,
    });
    expect(clientBenchOptions({ only: 'slow,kill', requests: '7', rate: '9' })).toEqual({
      only: ['slow', 'kill'],
      requests: 7,
      rate: 9,
    });
  });

  it.each([
    [{ only: 'slwo' }, '--only knows'],
    [{ requests: '0' }, '--requests must be at least 1'],
    [{ rate: '' }, '--rate must be at least 1'],
  ])('are refused when they make no sense: %j', (flags, message) => {
    expect(() => clientBenchOptions(flags)).toThrow(message);
  });
});
