import { describe, expect, it } from 'vitest';
import { LESSONS, type Outcome, RejectedError } from '../../core/index.js';
import { errorOf, isRefusal, lateError, refusalError } from './refusals.js';

describe('isRefusal', () => {
  it('is what a backend shed, and nothing else', () => {
    const refusals = (Object.keys(LESSONS) as Outcome[]).filter(isRefusal);
    expect(refusals).toEqual(['task-overloaded', 'overloaded-no-retry']);
  });
});

describe('refusalError', () => {
  it('says whether and when to try again, and how often it was tried', () => {
    const later = refusalError('task-overloaded', 1_500, 3);
    expect(later).toBeInstanceOf(RejectedError);
    expect(later).toMatchObject({ code: 'PLIMSOLL_OVERLOADED', retry: 'later', retryAfterMs: 1_500 });
    expect(later.message).toBe('refused by an overloaded backend, after 3 attempts');
    const never = refusalError('overloaded-no-retry', undefined, 1);
    expect(never).toMatchObject({ code: 'PLIMSOLL_DONT_RETRY', retry: 'no', retryAfterMs: undefined });
    expect(never.message).toBe('the service is overloaded and asks not to retry, after one attempt');
  });

  it('keeps the time that a service asks for, zero too', () => {
    expect(refusalError('overloaded-no-retry', 0, 2).retryAfterMs).toBe(0);
  });
});

describe('lateError', () => {
  it('says whether anything was sent', () => {
    expect(lateError(true)).toMatchObject({
      code: 'PLIMSOLL_DEADLINE',
      retry: 'no',
      message: 'the deadline passed before the answer came',
    });
    expect(lateError(false).message).toBe('the deadline passed before the request was sent');
  });
});

describe('errorOf', () => {
  it('is made without a stack for who does not read it, and leaves no trace of that', () => {
    const before = Error.stackTraceLimit;
    const call = {
      get error() {
        return lateError(true);
      },
    };
    expect(errorOf(call, {}).stack).toMatch(/\n +at /);
    const error = errorOf(call, { readsCodeOnly: true });
    expect(error).toMatchObject({ code: 'PLIMSOLL_DEADLINE', message: call.error.message });
    expect(error.stack).not.toMatch(/\n +at /);
    expect(Error.stackTraceLimit).toBe(before);
  });

  it('gives stacks back to everybody when that fails', () => {
    const before = Error.stackTraceLimit;
    const call = {
      get error(): RejectedError {
        throw new Error('a message that cannot be made');
      },
    };
    expect(() => errorOf(call, { readsCodeOnly: true })).toThrow('cannot be made');
    expect(Error.stackTraceLimit).toBe(before);
  });
});
