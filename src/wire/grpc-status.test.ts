import { describe, expect, it } from 'vitest';
import { grpcStatusOf, isGrpcFailure, toTrailersOnly } from './grpc-status.js';
import { addField, type Http2Fields } from './http2-fields.js';
import { ANSWERS, type AnswerName } from './refusal-answer.js';

function headersOf(name: AnswerName): Http2Fields {
  const fields: Http2Fields = {};
  const { headers } = ANSWERS[name];
  for (let i = 0; i < headers.length; i += 2) addField(fields, headers[i]!, headers[i + 1]!);
  return fields;
}

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
    expect(toTrailersOnly(503, headersOf('task-overloaded'))).toEqual({
      'content-type': 'application/grpc',
      'grpc-status': '14',
      'grpc-message': 'service unavailable',
      'x-envoy-overloaded': 'true',
      'retry-after': '1',
      'grpc-retry-pushback-ms': '1000',
    });
  });

  it('keeps what was said of when to come again', () => {
    expect(toTrailersOnly(503, headersOf('overloaded-no-retry'))).toMatchObject({
      'grpc-retry-pushback-ms': '-1',
      'retry-after': '5',
    });
    expect(toTrailersOnly(503, { 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' })).not.toHaveProperty(
      'grpc-retry-pushback-ms',
    );
  });
});

describe('a status', () => {
  it('is a failure of the server when the caller could not have done better', () => {
    const failures = Array.from({ length: 17 }, (_, code) => code).filter(isGrpcFailure);
    expect(failures).toEqual([2, 4, 12, 13, 14, 15]);
  });
});
