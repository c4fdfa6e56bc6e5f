import { describe, expect, it } from 'vitest';
import { checkRunQueue, RUN_QUEUE_DEFAULTS, type RunQueueOptions } from './run-queue-options.js';

describe('checkRunQueue', () => {
  it('fills in the defaults', () => {
    expect(checkRunQueue(undefined)).toEqual(RUN_QUEUE_DEFAULTS);
    expect(checkRunQueue({ maxWaitMs: 50 })).toEqual({ ...RUN_QUEUE_DEFAULTS, maxWaitMs: 50 });
    expect(RUN_QUEUE_DEFAULTS).toEqual({
      maxWaitMs: 100,
      tightWaitMs: 10,
      tightenAfterMs: 100,
      maxAgeMs: Number.POSITIVE_INFINITY,
      standingWaitMs: 0,
      leastRequests: 0,
      maxWaiting: 10_000,
    });
  });

  it.each([
    [{ maxWaitMs: 0 }, 'maxWaitMs must be a finite number > 0, got 0'],
    [{ maxWaitMs: Number.NaN }, 'maxWaitMs must be a finite number > 0, got NaN'],
    [{ tightWaitMs: 0 }, 'tightWaitMs must be a finite number > 0, got 0'],
    [{ tightWaitMs: 101 }, 'tightWaitMs must be from 0 to 100, got 101'],
    [{ maxAgeMs: 0 }, 'maxAgeMs must be a finite number > 0, got 0'],
    [{ tightenAfterMs: -1 }, 'tightenAfterMs must be a finite number > 0, got -1'],
    [{ standingWaitMs: 101 }, 'standingWaitMs must be from 0 to 100, got 101'],
    [{ leastRequests: -1 }, 'leastRequests must be an integer >= 0, got -1'],
    [{ maxWaiting: 0 }, 'maxWaiting must be an integer >= 1, got 0'],
    [
      { maxWait: 5 },
      'runQueue has no option "maxWait"; it has maxWaitMs, tightWaitMs, tightenAfterMs, maxAgeMs, standingWaitMs, leastRequests, maxWaiting',
    ],
  ])('refuses %o', (given, message) => {
    expect(() => checkRunQueue(given as Partial<RunQueueOptions>)).toThrow(new RangeError(message));
  });
});
