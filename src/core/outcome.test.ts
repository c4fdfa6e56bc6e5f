import { expect, it } from 'vitest';
import { LESSONS, lessonOf, type Outcome } from './outcome.js';

it('holds the table "what an outcome teaches", cell by cell', () => {
  const rows = Object.entries(LESSONS).map(
    ([outcome, { throttle, retry, isError, ejection }]) =>
      `${outcome} | ${throttle} | ${retry} | ${isError ? 'error' : 'no error'} | ${ejection}`,
  );
  expect(rows).toEqual([
    'answered | accepted | no | no error | success',
    'failed | accepted | if-idempotent | error | failure',
    'task-overloaded | rejected | at-once | no error | neither',
    'overloaded-no-retry | rejected | no | no error | neither',
    'limited | rejected-customer | no | no error | neither',
    'connect-failed | not-counted | any-method | no error | failure',
    'broken | rejected | if-idempotent | error | failure',
    'aborted | not-counted | no | no error | neither',
  ]);
});

it('knows no other outcome', () => {
  expect(lessonOf('answered')).toBe(LESSONS.answered);
  expect(() => lessonOf('ok' as Outcome)).toThrow('outcome must be one of answered, failed,');
});
