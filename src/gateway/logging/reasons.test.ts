import { describe, expect, it } from 'vitest';
import { RejectedError } from '../../core/index.js';
import { BodyTooLargeError } from '../forwarding/problem.js';
import { type Ended, errorCodeOf, reasonOf } from './reasons.js';

const answered: Ended = {
  status: 200,
  isWhole: true,
  isBatch: false,
  isCut: false,
  attempts: 1,
  error: undefined,
  limit: undefined,
};
const unsent: Ended = { ...answered, attempts: 0 };
const refused = new Error('connect ECONNREFUSED');
const aborted = new DOMException('This operation was aborted', 'AbortError');

describe('reasonOf', () => {
  it('has none for what a backend answered, whatever that was', () => {
    for (const status of [101, 200, 304, 404, 500, 503])
      expect(reasonOf({ ...answered, status })).toBe(undefined);
    expect(reasonOf(unsent)).toBe(undefined);
  });

  it('says why it was answered here', () => {
    expect(reasonOf({ ...unsent, status: 429, limit: 'five-a-minute' })).toBe('rate-limit');
    expect(reasonOf({ ...unsent, status: 202, limit: 'five-a-minute' })).toBe('queued');
    expect(reasonOf({ ...unsent, status: 401 })).toBe('unauthorized');
    expect(reasonOf({ ...unsent, status: 413 })).toBe('too-large');
    expect(reasonOf({ ...unsent, status: 404 })).toBe('no-route');
    // A path of two meanings, for which no route is looked for.
    expect(reasonOf({ ...unsent, status: 400 })).toBe('bad-request');
    expect(reasonOf({ ...unsent, status: 429, isBatch: true })).toBe('batch');
    expect(reasonOf({ ...unsent, status: 429, isBatch: true, limit: 'few' })).toBe('rate-limit');
    expect(reasonOf({ ...unsent, status: 418 })).toBe('refused');
  });

  it('says why a service did not answer', () => {
    const none = new RejectedError('PLIMSOLL_NO_BACKEND', 'none', { retry: 'later' });
    expect(reasonOf({ ...unsent, status: 503, error: none })).toBe('no-backend');
    expect(reasonOf({ ...answered, status: 502, error: refused })).toBe('backend-failed');
    // It broke on the way, and the client has half of it.
    expect(reasonOf({ ...answered, isWhole: false, error: refused })).toBe('backend-failed');
  });

  it('does not blame a backend for a body that is too large', () => {
    const error = new BodyTooLargeError();
    expect(reasonOf({ ...answered, status: 413, error })).toBe('too-large');
    expect(reasonOf({ ...answered, status: undefined, isWhole: false, error })).toBe('too-large');
    expect(errorCodeOf(error)).toBe(undefined);
  });

  it('tells those that a drain has cut from clients that left', () => {
    const cut = { ...answered, isWhole: false, isCut: true };
    expect(reasonOf(cut)).toBe('drain');
    expect(reasonOf({ ...cut, status: undefined, error: aborted })).toBe('drain');
    expect(reasonOf({ ...cut, isWhole: true })).toBe(undefined);
  });

  it('knows clients that do not wait', () => {
    expect(reasonOf({ ...answered, status: undefined, isWhole: false, error: aborted })).toBe('client-left');
    expect(reasonOf({ ...answered, isWhole: false, error: aborted })).toBe('client-left');
    expect(reasonOf({ ...unsent, status: undefined, isWhole: false })).toBe('client-left');
  });
});

describe('errorCodeOf', () => {
  it('is a word for programs', () => {
    expect(errorCodeOf(Object.assign(refused, { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
    expect(errorCodeOf(new TypeError('x'))).toBe('TypeError');
    expect(errorCodeOf(aborted)).toBe(undefined);
    expect(errorCodeOf(undefined)).toBe(undefined);
    expect(errorCodeOf(new RejectedError('PLIMSOLL_DEADLINE', 'late', { retry: 'no' }))).toBe(undefined);
  });
});
