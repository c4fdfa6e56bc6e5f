import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_DEADLINE } from '../deadline.js';
import { LESSONS, type Outcome } from '../outcome.js';
import { decideRetry, isRationed, MAX_ATTEMPTS, type RetryContext } from './decide-retry.js';
import { RetryBudget } from './retry-budget.js';

const OUTCOMES = Object.keys(LESSONS) as Outcome[];

const REQUEST: RetryContext = {
  outcome: 'task-overloaded',
  attempt: 1,
  isIdempotent: false,
  isBodyConsumed: false,
  deadlineMs: NO_DEADLINE,
  expectedMs: 10,
};

function decide(given: Partial<RetryContext>, now = 0): string {
  return decideRetry({ ...REQUEST, ...given }, new RetryBudget(), now);
}

describe('decideRetry', () => {
  it('goes by what the outcome teaches', () => {
    const verdicts = OUTCOMES.map((outcome) => [
      outcome,
      decide({ outcome }),
      decide({ outcome, isIdempotent: true }),
    ]);
    expect(verdicts).toEqual([
      ['answered', 'final', 'final'],
      ['failed', 'may-have-been-processed', 'retry'],
      ['task-overloaded', 'retry', 'retry'],
      ['overloaded-no-retry', 'final', 'final'],
      ['limited', 'final', 'final'],
      ['connect-failed', 'retry', 'retry'],
      ['broken', 'may-have-been-processed', 'retry'],
      ['aborted', 'final', 'final'],
    ]);
  });

  it('makes three attempts unless told', () => {
    expect([1, 2, 3, 4].map((attempt) => decide({ attempt }))).toEqual([
      'retry',
      'retry',
      'attempts-used-up',
      'attempts-used-up',
    ]);
    expect(decide({ attempt: 3, maxAttempts: 4 })).toBe('retry');
    expect(decide({ attempt: 4, maxAttempts: 4 })).toBe('attempts-used-up');
    expect(decide({ maxAttempts: 1 })).toBe('attempts-used-up');
    expect(MAX_ATTEMPTS).toBe(3);
  });

  it('waits as long as the backend asks, if there is so much time, and does not retry when asked not to', () => {
    expect(decide({ pushbackMs: 0 })).toBe('retry');
    expect(decide({ pushbackMs: 5_000 })).toBe('retry');
    expect(decide({ pushbackMs: 90, deadlineMs: 101 })).toBe('retry');
    expect(decide({ pushbackMs: 91, deadlineMs: 101 })).toBe('no-time');
    expect(decide({ pushbackMs: -1 })).toBe('final');
    expect(decide({ pushbackMs: Number.NaN })).toBe('final');
  });

  it('does not retry what has an impossible count', () => {
    for (const attempt of [0, -1, Number.NEGATIVE_INFINITY, Number.NaN, Number.POSITIVE_INFINITY, 1e9]) {
      expect(decide({ attempt })).toBe('attempts-used-up');
    }
    expect(decide({ maxAttempts: Number.NaN })).toBe('attempts-used-up');
  });

  it('cannot send a body again that is gone', () => {
    for (const outcome of ['failed', 'task-overloaded', 'connect-failed', 'broken'] as const) {
      expect(decide({ outcome, isIdempotent: true, isBodyConsumed: true })).toBe('body-consumed');
    }
  });

  it('retries when the answer can come before the deadline, and not at it', () => {
    expect(decide({ deadlineMs: 510, expectedMs: 10 }, 500)).toBe('no-time');
    expect(decide({ deadlineMs: 511, expectedMs: 10 }, 500)).toBe('retry');
    expect(decide({ deadlineMs: 501, expectedMs: 0 }, 500)).toBe('retry');
    expect(decide({ deadlineMs: 500, expectedMs: 0 }, 500)).toBe('no-time');
    expect(decide({ deadlineMs: 499, expectedMs: -1_000 }, 500)).toBe('no-time');
    expect(decide({ deadlineMs: Number.NaN, expectedMs: 0 }, 500)).toBe('no-time');
    expect(decide({ expectedMs: Number.NaN }, 500)).toBe('no-time');
  });

  it('retries while the budget lasts', () => {
    const budget = new RetryBudget();
    for (let request = 0; request < 25; request++) budget.onRequest(0);
    const verdicts = [1, 2, 3].map(() => decideRetry(REQUEST, budget, 0));
    expect(verdicts).toEqual(['retry', 'retry', 'budget-spent']);
    expect(decideRetry(REQUEST, budget, 11_000)).toBe('retry');
  });

  it('names the first reason, in this order', () => {
    const spent = new RetryBudget({ ratio: 0 });
    let request: RetryContext = {
      outcome: 'overloaded-no-retry',
      attempt: 3,
      isIdempotent: false,
      isBodyConsumed: true,
      deadlineMs: 0,
      expectedMs: 10,
    };
    const reasons = [decideRetry(request, spent, 0)];
    const remedies: Partial<RetryContext>[] = [
      { outcome: 'broken' },
      { attempt: 1 },
      { isIdempotent: true },
      { isBodyConsumed: false },
      { deadlineMs: 100 },
    ];
    for (const remedy of remedies) {
      request = { ...request, ...remedy };
      reasons.push(decideRetry(request, spent, 0));
    }
    expect(reasons).toEqual([
      'final',
      'attempts-used-up',
      'may-have-been-processed',
      'body-consumed',
      'no-time',
      'budget-spent',
    ]);
    expect(decideRetry(request, new RetryBudget(), 0)).toBe('retry');
  });

  it('asks no budget for what never reached a backend', () => {
    const spent = new RetryBudget({ ratio: 0 });
    expect(decideRetry({ ...REQUEST, outcome: 'connect-failed' }, spent, 0)).toBe('retry');
    expect(decideRetry({ ...REQUEST, outcome: 'connect-failed', attempt: 3 }, spent, 0)).toBe(
      'attempts-used-up',
    );
    expect(decideRetry(REQUEST, spent, 0)).toBe('budget-spent');
  });

  it('withdraws from the budget when it says retry, and only then', () => {
    const request = fc.record({
      outcome: fc.constantFrom(...OUTCOMES),
      attempt: fc.constantFrom(-1, 1, 2, 3, Number.NaN),
      isIdempotent: fc.boolean(),
      isBodyConsumed: fc.boolean(),
      deadlineMs: fc.constantFrom(0, 5, 50, NO_DEADLINE),
      expectedMs: fc.constantFrom(0, 5, 20),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 40 }), (requests) => {
        const budget = new RetryBudget();
        let retries = 0;
        for (const context of requests) {
          budget.onRequest(0);
          const { remaining } = budget.explain(0);
          const verdict = decideRetry(context, budget, 0);
          if (verdict === 'retry' && isRationed(context.outcome)) retries++;
          if (verdict === 'budget-spent') expect(remaining).toBe(0);
          expect(budget.explain(0).retries).toBe(retries);
        }
      }),
    );
  });
});
