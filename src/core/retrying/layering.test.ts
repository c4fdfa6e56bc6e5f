import { describe, expect, it } from 'vitest';
import { LESSONS, type Outcome } from '../outcome.js';
import type { RetryVerdict } from './decide-retry.js';
import { outcomeForAbove } from './layering.js';

const OUTCOMES = Object.keys(LESSONS) as Outcome[];
const NO_RETRY = [
  'final',
  'attempts-used-up',
  'may-have-been-processed',
  'body-consumed',
  'no-time',
  'budget-spent',
] as const satisfies RetryVerdict[];

describe('outcomeForAbove', () => {
  it('says the same whatever ended the retries: overloads as "don\'t retry", the rest as what it is', () => {
    for (const verdict of NO_RETRY) {
      const above = OUTCOMES.map((outcome) => [outcome, outcomeForAbove(outcome, verdict)]);
      expect(Object.fromEntries(above)).toEqual({
        answered: 'answered',
        failed: 'failed',
        'task-overloaded': 'overloaded-no-retry',
        'overloaded-no-retry': 'overloaded-no-retry',
        limited: 'limited',
        'connect-failed': 'failed',
        broken: 'failed',
        aborted: 'aborted',
      });
    }
  });

  it('lets no layer further up retry an overload, however many there are', () => {
    for (const overload of ['task-overloaded', 'overloaded-no-retry'] as const) {
      let outcome: Outcome = overload;
      for (let layer = 0; layer < 4; layer++) {
        outcome = outcomeForAbove(outcome, 'attempts-used-up');
        expect(LESSONS[outcome].retry).toBe('no');
      }
    }
  });

  it('has nothing to say while there is a retry', () => {
    for (const outcome of OUTCOMES) expect(outcomeForAbove(outcome, 'retry')).toBeUndefined();
  });
});
