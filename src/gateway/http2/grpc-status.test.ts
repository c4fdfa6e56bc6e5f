import { describe, expect, it } from 'vitest';
import { ANSWERS } from '../../wire/index.js';
import { addGiven } from './given-headers.js';
import { grpcStatusOf, toTrailersOnly } from './grpc-status.js';

describe('a refusal in the words of gRPC', () => {
  it.each([
    [400, 13],
    [401, 16],
    [403, 7],
    [404, 12],
    [405, 12],
    [413, 8],
    [429, 8],
    [500, 13],
    [502, 14],
    [503, 14],
    [504, 4],
    [418, 2],
  ])('%d is %d', (status, code) => {
    expect(grpcStatusOf(status)).toBe(code);
  });

  it('has everything in its head, and nothing of a body', () => {
    const given = {};
    addGiven(given, ANSWERS['task-overloaded'].headers);
    expect(toTrailersOnly(503, given)).toEqual({
      'content-type': 'application/grpc',
      'grpc-status': '14',
      'grpc-message': 'service unavailable',
      'x-envoy-overloaded': 'true',
      'retry-after': '1',
      'grpc-retry-pushback-ms': '1000',
    });
  });

  it('keeps what was said of when to come again', () => {
    const given = {};
    addGiven(given, ANSWERS['overloaded-no-retry'].headers);
    expect(toTrailersOnly(503, given)).toMatchObject({ 'grpc-retry-pushback-ms': '-1', 'retry-after': '5' });
    expect(toTrailersOnly(503, { 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' })).not.toHaveProperty(
      'grpc-retry-pushback-ms',
    );
  });
});
