import { Metadata, status } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { RejectedError } from '../../core/index.js';
import type { Door } from '../../server/door.js';
import type { GuardedRequest } from '../../server/guarded-request.js';
import { HandlerRunner } from './handler-runner.js';
import type { AnyCall, Callback, GrpcHandler, Method } from './method.js';

type Answer = Parameters<Callback>[0];

/** What is answered when a unary handler does this; what is nobody's business outside is told to `onError`. */
function answerOf(handler: GrpcHandler, onError?: (error: unknown) => void): Promise<Answer> {
  const door = {
    resume: (_: unknown, fn: (a: unknown, b: unknown) => void, a: unknown, b: unknown) => fn(a, b),
    settle: () => {},
    tally: { handlerErrors: 0 },
  } as unknown as Door;
  const method = { type: 'unary', handler } as Method;
  const call = { metadata: new Metadata() } as AnyCall;
  const request = { degraded: false, state: 'running' } as GuardedRequest;
  return new Promise((resolve, reject) => {
    new HandlerRunner(door, onError ?? reject).run(request, { method, call, callback: resolve });
  });
}

/** As a client of gRPC makes it of a refusal. */
function withCause(refusal: RejectedError) {
  const error = new Error('14 UNAVAILABLE: by the test', { cause: refusal });
  return Object.assign(error, { code: status.UNAVAILABLE, details: 'by the test', metadata: new Metadata() });
}

const BUSY = new RejectedError('PLIMSOLL_OVERLOADED', 'by the test', { retry: 'no' });

it('answers a refusal further down as *do not retry*, also where it is the cause of an error of gRPC', async () => {
  for (const error of [BUSY, withCause(BUSY)]) {
    const answers = [
      await answerOf((_, done) => done(error as Answer)),
      await answerOf(() => Promise.reject(error)),
      await answerOf(() => {
        throw error;
      }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ code: status.UNAVAILABLE });
      expect(answer!.metadata!.getMap()).toMatchObject({
        'x-envoy-overloaded': 'true',
        'grpc-retry-pushback-ms': '-1',
      });
    }
  }
});

it('answers any other error with a code as it is', async () => {
  const error = Object.assign(new Error('no such'), { code: status.NOT_FOUND, details: 'no such' });
  expect(await answerOf((_, done) => done(error))).toBe(error);
  expect(await answerOf(() => Promise.reject(error))).toBe(error);
});

it.each([11_000, 17, 0, -1, 2.5, 'ENOENT', undefined])(
  'answers an error whose code (%s) is none of gRPC’s with UNKNOWN, and keeps the rest to itself',
  async (code) => {
    const error = Object.assign(new Error('duplicate key { card: 4711 }'), { code, details: 'card 4711' });
    const told: unknown[] = [];
    const answer = await answerOf(
      () => Promise.reject(error),
      (each) => told.push(each),
    );
    expect(answer).toEqual({ code: status.UNKNOWN, details: 'Unknown error' });
    expect(told).toEqual([error]);
  },
);
