import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetryBudget } from './retry-budget.js';

function withdrawAll(budget: RetryBudget, now: number): number {
  let granted = 0;
  while (budget.tryWithdraw(now)) granted++;
  return granted;
}

function afterRequests(count: number, budget = new RetryBudget()): RetryBudget {
  for (let index = 0; index < count; index++) budget.onRequest(0);
  return budget;
}

describe('RetryBudget', () => {
  it('grants a tenth of the requests', () => {
    const budget = afterRequests(1_000);
    expect(budget.explain(0)).toEqual({ requests: 1_000, retries: 0, remaining: 100 });
    expect(withdrawAll(budget, 0)).toBe(100);
    expect(budget.explain(0)).toEqual({ requests: 1_000, retries: 100, remaining: 0 });
    // The next is earned by ten further requests, not by nine.
    afterRequests(9, budget);
    expect(budget.tryWithdraw(0)).toBe(false);
    budget.onRequest(0);
    expect(budget.tryWithdraw(0)).toBe(true);
  });

  it('grants exactly a tenth of any number, and one of fewer than ten', () => {
    const granted = [0, 1, 9, 10, 19, 20, 30, 70, 99, 100, 2_330].map((count) =>
      withdrawAll(afterRequests(count), 0),
    );
    expect(granted).toEqual([1, 1, 1, 1, 1, 2, 3, 7, 9, 10, 233]);
  });

  it('grants the one retry of a window to a request that took longer than the window to fail', () => {
    const budget = afterRequests(1);
    expect(withdrawAll(budget, 60_000)).toBe(1);
    expect(withdrawAll(budget, 70_999)).toBe(0);
    expect(withdrawAll(budget, 71_000)).toBe(1);
  });

  it('earns over ten seconds', () => {
    const budget = afterRequests(100);
    expect(budget.explain(10_999).remaining).toBe(10);
    expect(budget.explain(11_000).remaining).toBe(1);
  });

  it('is empty after an idle hour', () => {
    const budget = afterRequests(1_000);
    withdrawAll(budget, 0);
    expect(budget.explain(3_600_000)).toEqual({ requests: 0, retries: 0, remaining: 1 });
    expect(withdrawAll(budget, 3_600_000)).toBe(1);
  });

  it('never retries at a ratio of 0', () => {
    const budget = afterRequests(1_000, new RetryBudget({ ratio: 0 }));
    expect(budget.explain(0).remaining).toBe(0);
    expect(budget.tryWithdraw(0)).toBe(false);
  });

  it('takes a refund as if the retry had never been withdrawn, in whichever slot', () => {
    const budget = afterRequests(20);
    expect(withdrawAll(budget, 2_500)).toBe(2);
    budget.refund(2_500);
    expect(withdrawAll(budget, 2_500)).toBe(1);
    expect(budget.explain(9_000).remaining).toBe(0);
    budget.refund(2_500);
    expect(budget.explain(9_000)).toEqual({ requests: 20, retries: 1, remaining: 1 });
    // The other one leaves with its own slot, and no credit is left behind.
    expect(budget.explain(13_000)).toEqual({ requests: 0, retries: 0, remaining: 1 });
    expect(withdrawAll(budget, 13_000)).toBe(1);
  });

  it('gives nothing for a refund of what was not withdrawn', () => {
    const budget = afterRequests(20);
    budget.refund(0);
    expect(withdrawAll(budget, 0)).toBe(2);
  });

  it('refuses what is impossible', () => {
    expect(() => new RetryBudget({ ratio: -0.1 })).toThrow(
      new RangeError('ratio must be a finite number >= 0, got -0.1'),
    );
    expect(() => new RetryBudget({ ratio: Number.NaN })).toThrow(
      'ratio must be a finite number >= 0, got NaN',
    );
    expect(() => new RetryBudget({ windowMs: 0 })).toThrow('windowMs must be a finite number > 0, got 0');
    expect(() => new RetryBudget({ slots: 0.5 })).toThrow('slots must be an integer >= 1, got 0.5');
    // @ts-expect-error: no such option
    expect(() => new RetryBudget({ percent: 10 })).toThrow('retryBudget has no option "percent"');
  });
});

describe('when an outage begins after calm', () => {
  /** For how long every request is retried. */
  function fullRetryingMs(windowMs: number): number {
    const budget = new RetryBudget({ windowMs, slots: 100 });
    let now = 0;
    for (; now < 300_000; now += 20) budget.onRequest(now);
    for (; ; now += 20) {
      budget.onRequest(now);
      if (!budget.tryWithdraw(now)) return now - 300_000;
    }
  }

  it('retries everything for a second, where two minutes of history would make it twelve', () => {
    expect(fullRetryingMs(10_000)).toBe(1_000);
    expect(fullRetryingMs(120_000)).toBe(12_000);
  });
});

describe('for any history', () => {
  const gap = fc.oneof(fc.constant(0), fc.nat(60), fc.nat(500));
  const request = fc.record({ kind: fc.constant('request' as const), gap });
  const withdraw = fc.record({ kind: fc.constant('withdraw' as const), gap });
  const refund = fc.record({ kind: fc.constant('refund' as const), gap });
  const steps = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: request },
      { weight: 4, arbitrary: withdraw },
      { weight: 1, arbitrary: refund },
    ),
    { maxLength: 90, size: 'max' },
  );
  const options = fc.record({
    ratio: fc.constantFrom(0, 0.1, 0.25, 2),
    windowMs: fc.constantFrom(100, 777, 1_000),
    slots: fc.integer({ min: 1, max: 11 }),
  });

  it('grants when, and only when, it keeps retries within ratio × requests of the window, or at one', () => {
    fc.assert(
      fc.property(steps, options, (history, { ratio, windowMs, slots }) => {
        const budget = new RetryBudget({ ratio, windowMs, slots });
        const requests: number[] = [];
        const retries: number[] = [];
        let now = 5_000;
        const slotOf = (at: number) => Math.floor((at * slots) / windowMs);
        const inRing = (times: number[]) => times.filter((at) => slotOf(at) >= slotOf(now) - slots).length;
        const since = (times: number[], ms: number) => times.filter((at) => at >= now - ms).length;
        for (const step of history) {
          now += step.gap;
          if (step.kind === 'request') {
            budget.onRequest(now);
            requests.push(now);
          } else if (step.kind === 'withdraw') {
            const isEarned = inRing(retries) + 1 <= Math.max(ratio > 0 ? 1 : 0, ratio * inRing(requests));
            expect(budget.tryWithdraw(now)).toBe(isEarned);
            if (isEarned) retries.push(now);
            // The same, said without slots: of the requests at most one slot more is looked at.
            if (isEarned) {
              const earned = ratio * since(requests, windowMs + windowMs / slots);
              expect(since(retries, windowMs)).toBeLessThanOrEqual(Math.max(1, earned));
            }
          } else if (retries.length > 0) {
            budget.refund(retries.shift()!);
          }
          const { remaining, ...counts } = budget.explain(now);
          expect(counts).toEqual({ requests: inRing(requests), retries: inRing(retries) });
          expect(remaining).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('is left by a withdrawal and its refund as it would have been without them', () => {
    fc.assert(
      fc.property(
        steps,
        fc.array(request, { maxLength: 20 }),
        steps,
        options,
        (before, between, after, given) => {
          const budget = new RetryBudget(given);
          const other = new RetryBudget(given);
          let now = 5_000;
          const both = (history: { kind: string; gap: number }[]) => {
            for (const { kind, gap } of history) {
              now += gap;
              if (kind === 'request') {
                budget.onRequest(now);
                other.onRequest(now);
              } else {
                expect(other.tryWithdraw(now)).toBe(budget.tryWithdraw(now));
              }
              expect(other.explain(now)).toEqual(budget.explain(now));
            }
          };
          both(before);
          const withdrawnMs = now;
          const isWithdrawn = other.tryWithdraw(now);
          for (const step of between) {
            now += step.gap;
            budget.onRequest(now);
            other.onRequest(now);
          }
          if (isWithdrawn) other.refund(withdrawnMs);
          both(after);
        },
      ),
    );
  });

  it('says truly what remains', () => {
    fc.assert(
      fc.property(steps, options, (history, given) => {
        const budget = new RetryBudget(given);
        let now = 0;
        for (const step of history) {
          now += step.gap;
          if (step.kind === 'request') budget.onRequest(now);
          else if (step.kind === 'withdraw') {
            const isExpected = budget.explain(now).remaining > 0;
            expect(budget.tryWithdraw(now)).toBe(isExpected);
          }
        }
        const { remaining } = budget.explain(now);
        expect(withdrawAll(budget, now)).toBe(remaining);
      }),
    );
  });
});
