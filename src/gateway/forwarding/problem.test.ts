import { describe, expect, it } from 'vitest';
import { RejectedError } from '../../core/index.js';
import { BadAnswerError, BodyTooLargeError, PROBLEMS, problemOf } from './problem.js';

const coded = (code: string) => Object.assign(new Error('secret of the inside'), { code });
const headerOf = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1];

describe('problemOf', () => {
  it.each([
    [new BodyTooLargeError(), 413],
    [new BadAnswerError('x'), 502],
    [new Error('x'), 502],
    [coded('ECONNRESET'), 502],
    [coded('UND_ERR_SOCKET'), 502],
    [coded('UND_ERR_INVALID_ARG'), 400],
    [coded('UND_ERR_HEADERS_TIMEOUT'), 504],
    [coded('UND_ERR_CONNECT_TIMEOUT'), 504],
    [coded('UND_ERR_DESTROYED'), 503],
    [new RejectedError('PLIMSOLL_NO_BACKEND', 'm', { retry: 'later' }), 503],
    [new RejectedError('PLIMSOLL_DEADLINE', 'm', { retry: 'no', retryAfterMs: 5 }), 504],
  ])('of %s is %i', (error, status) => {
    const problem = problemOf(error);
    expect(problem.status).toBe(status);
    expect(headerOf(problem.headers, 'content-type')).toBe('application/problem+json');
    expect(headerOf(problem.headers, 'content-length')).toBe(String(problem.body.length));
    expect(JSON.parse(problem.body).status).toBe(status);
    expect(problem.body).not.toContain('secret');
  });

  it.each([
    [1, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [60_000, '60'],
  ])('says when to come again: in %i ms is %s s', (retryAfterMs, seconds) => {
    const { headers } = problemOf(
      new RejectedError('PLIMSOLL_THROTTLED', 'm', { retry: 'later', retryAfterMs }),
    );
    expect(headerOf(headers, 'retry-after')).toBe(seconds);
  });

  it('does not take a service that is not there for one that has too much to do', () => {
    const { body, headers } = problemOf(
      new RejectedError('PLIMSOLL_NO_BACKEND', 'm', { retry: 'later' }),
      true,
    );
    expect(JSON.parse(body).title).toBe('Service unavailable');
    expect(headerOf(headers, 'retry-after')).toBe('1');
    expect(headers).not.toContain('x-envoy-overloaded');
  });

  it.each(['PLIMSOLL_ALL_BUSY', 'PLIMSOLL_DEADLINE'] as const)(
    'tells of %s in headers of ours those alone who are trusted',
    (code) => {
      const error = new RejectedError(code, 'm', { retry: 'no' });
      const names = ({ headers }: { headers: readonly string[] }) => headers.filter((_, at) => at % 2 === 0);
      expect(names(problemOf(error, true))).toEqual(
        expect.arrayContaining(['x-envoy-overloaded', 'grpc-retry-pushback-ms']),
      );
      expect(names(problemOf(error)).some((name) => /envoy|grpc/.test(name))).toBe(false);
      expect(problemOf(error).body).toBe(problemOf(error, true).body);
    },
  );

  it('are all complete', () => {
    for (const { status, headers, body } of Object.values(PROBLEMS)) {
      expect(JSON.parse(body)).toMatchObject({ status });
      expect(headers.length % 2).toBe(0);
    }
  });
});
