import { describe, expect, it } from 'vitest';
import { GRPC_REFUSALS, grpcRefusalFields } from './grpc-refusal.js';
import { ANSWERS, type AnswerName } from './refusal-answer.js';

const PUSHBACK = 'grpc-retry-pushback-ms';

describe('a refusal in the words of gRPC', () => {
  it.each([
    ['task-overloaded', 14, undefined],
    ['not-ready', 14, undefined],
    ['overloaded-no-retry', 14, '-1'],
    ['late', 4, '-1'],
    ['limited', 8, '1000'],
  ] as const)('%s is status %d, pushback %s', (name, code, pushback) => {
    expect(GRPC_REFUSALS[name].code).toBe(code);
    expect(GRPC_REFUSALS[name].metadata[PUSHBACK]).toBe(pushback);
  });

  it('there is one for each answer, whole without a message', () => {
    for (const name of Object.keys(ANSWERS) as AnswerName[]) {
      const { code, message, metadata } = GRPC_REFUSALS[name];
      expect(grpcRefusalFields(name)).toEqual({
        ':status': '200',
        'content-type': 'application/grpc',
        'grpc-status': String(code),
        'grpc-message': message,
        ...metadata,
      });
      // It is sent as it is: nothing in it may need an escape (gRPC's "PROTOCOL-HTTP2", Percent-Encoded).
      expect(message).toMatch(/^[ -$&-~]+$/);
    }
  });
});
