import { describe, expect, it } from 'vitest';
import { OverloadAdvice } from './overload-advice.js';

const RETRY = 'task-overloaded';
const DONT = 'overloaded-no-retry';

function arrive(advice: OverloadAdvice, now: number, ...attempts: readonly number[]): void {
  attempts.forEach((count, index) => {
    for (let arrival = 0; arrival < count; arrival++) advice.onArrival(index + 1, now);
  });
}

/** What is answered after each of so many further arrivals. */
function answers(advice: OverloadAdvice, now: number, attempt: number, count: number): string[] {
  return Array.from({ length: count }, () => {
    advice.onArrival(attempt, now);
    return advice.errorFor(now);
  });
}

describe('OverloadAdvice', () => {
  it('turns when retries pass 5 % of the arrivals, and back when they have fallen to 4 %', () => {
    const advice = new OverloadAdvice();
    arrive(advice, 0, 190, 9);
    // 10 of 200 are 5 %, 11 of 201 are more.
    expect(answers(advice, 0, 2, 2)).toEqual([RETRY, DONT]);
    // 11 of 274 are 4.01 %, 11 of 275 are 4 %.
    expect(answers(advice, 0, 1, 74)).toEqual([...Array<string>(73).fill(DONT), RETRY]);
    // 13 of 277 are 4.7 %, 14 of 278 are 5.04 %.
    expect(answers(advice, 0, 3, 3)).toEqual([RETRY, RETRY, DONT]);
  });

  it('turns with the seconds as they enter and leave the window', () => {
    const advice = new OverloadAdvice();
    const said: string[] = [];
    // 100 arrivals a second; in seconds 5 to 14 eight of them are retries.
    for (let second = 0; second < 30; second++) {
      const retries = second >= 5 && second < 15 ? 8 : 0;
      arrive(advice, second * 1_000, 100 - retries, retries);
      said.push(advice.errorFor(second * 1_000) === RETRY ? '.' : '!');
    }
    // 56 of 1100 (5.1 %) at second 11; 48 of 1100 (4.4 %) at second 19, 40 (3.6 %) at second 20.
    expect(said.join('')).toBe('...........!!!!!!!!!..........');
  });

  it('needs six retries, however few the arrivals', () => {
    const advice = new OverloadAdvice();
    arrive(advice, 0, 9);
    expect(answers(advice, 0, 2, 6)).toEqual([RETRY, RETRY, RETRY, RETRY, RETRY, DONT]);
    expect(answers(new OverloadAdvice({ minArrivals: 1 }), 0, 2, 1)).toEqual([DONT]);
  });

  it('has forgotten everything after an idle hour', () => {
    const advice = new OverloadAdvice();
    expect(advice.errorFor(0)).toBe(RETRY);
    arrive(advice, 0, 500, 500, 500);
    expect(advice.errorFor(0)).toBe(DONT);
    expect(advice.explain(3_600_000)).toEqual({ attempts: [0, 0, 0], retryShare: 0, error: RETRY });
    expect(advice.errorFor(3_600_000)).toBe(RETRY);
  });

  it('turns back when nothing is left of the retries, also with a line at 0', () => {
    const advice = new OverloadAdvice({ retryShare: 0, recoverShare: 0 });
    expect(advice.errorFor(0)).toBe(RETRY);
    expect(answers(advice, 0, 2, 1)).toEqual([DONT]);
    expect(answers(advice, 10_999, 1, 1)).toEqual([DONT]);
    expect(advice.errorFor(11_000)).toBe(RETRY);
  });

  it('explains what it would answer, and is not turned by that', () => {
    const advice = new OverloadAdvice();
    arrive(advice, 0, 94, 5, 1);
    expect(advice.explain(0)).toEqual({ attempts: [94, 5, 1], retryShare: 0.06, error: DONT });
    arrive(advice, 0, 35);
    expect(advice.explain(0).error).toBe(RETRY);
    expect(advice.errorFor(0)).toBe(RETRY);
    const told = new OverloadAdvice();
    arrive(told, 0, 94, 5, 1);
    expect(told.errorFor(0)).toBe(DONT);
    arrive(told, 0, 35);
    expect(told.errorFor(0)).toBe(DONT);
  });

  it('does not trip over attempts that are none', () => {
    const advice = new OverloadAdvice();
    for (const attempt of [Number.NaN, 0, -7, 1.5]) advice.onArrival(attempt, 0);
    for (const attempt of [4, 1e9, Number.POSITIVE_INFINITY]) advice.onArrival(attempt, 0);
    expect(advice.explain(0).attempts).toEqual([4, 0, 3]);
  });

  it('refuses what is impossible', () => {
    expect(() => new OverloadAdvice({ retryShare: 1.5 })).toThrow(
      new RangeError('retryShare must be from 0 to 1, got 1.5'),
    );
    expect(() => new OverloadAdvice({ retryShare: 0.03 })).toThrow(
      'recoverShare must be from 0 to 0.03, got 0.04',
    );
    expect(() => new OverloadAdvice({ recoverShare: -1 })).toThrow('recoverShare must be from 0 to 0.05');
    expect(() => new OverloadAdvice({ minArrivals: 0 })).toThrow('minArrivals must be an integer >= 1');
    expect(() => new OverloadAdvice({ windowMs: -1 })).toThrow(
      'windowMs must be a finite number > 0, got -1',
    );
    expect(() => new OverloadAdvice({ slots: 0 })).toThrow('slots must be an integer >= 1, got 0');
    // @ts-expect-error: no such option
    expect(() => new OverloadAdvice({ share: 0.1 })).toThrow('overloadAdvice has no option "share"');
  });
});

/**
 * After Figure 21-1. Of all attempts a share q is refused, so each first attempt makes q second and q² third ones;
 * client budgets hold both together at a tenth of the first.
 */
describe('what the rule makes of 1000 first attempts', () => {
  it.each([
    { where: 'ten backends that refuse all', q: 1, share: 0.667, budgeted: 0.091, error: DONT },
    { where: 'three of ten that refuse all', q: 0.3, share: 0.281, budgeted: 0.091, error: DONT },
    { where: 'ten offered 1.5 times', q: 1 / 3, share: 0.307, budgeted: 0.091, error: DONT },
    { where: 'ten offered 1.05 times', q: 1 / 21, share: 0.048, budgeted: 0.048, error: RETRY },
    { where: 'one of ten offered 1.5 times', q: 1 / 30, share: 0.033, budgeted: 0.033, error: RETRY },
    { where: 'one of ten that refuses all', q: 0.1, share: 0.099, budgeted: 0.091, error: DONT },
  ])('that meet $where: $error', ({ q, share, budgeted, error }) => {
    const free = [1_000, Math.round(1_000 * q), Math.round(1_000 * q * q)];
    const scale = Math.min(1, 100 / (free[1]! + free[2]!));
    const held = [1_000, Math.round(free[1]! * scale), Math.round(free[2]! * scale)];
    for (const [attempts, expected] of [
      [free, share],
      [held, budgeted],
    ] as const) {
      const advice = new OverloadAdvice();
      arrive(advice, 0, ...attempts);
      expect(advice.explain(0).retryShare).toBeCloseTo(expected, 3);
      expect(advice.errorFor(0)).toBe(error);
    }
  });
});
