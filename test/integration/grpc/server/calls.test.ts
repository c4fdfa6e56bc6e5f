import type { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import { RejectedError } from '../../../../src/core/index.js';
import { currentRequest } from '../../../../src/server/index.js';
import { decodeLoadReportMessage, LAME_DUCK_HEADER } from '../../../../src/wire/index.js';
import { PATIENT } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { type Answer, GuardedGrpc, outcomeOf, type UnaryCall } from './guarded-grpc.js';

expectNoMishaps();

let served: GuardedGrpc;
afterEach(() => served.stop());

const PATHS = ['auto', 'off'] as const;

/** Both ways into the guard: at the stream, and, should grpc-js change, in the handler. */
describe.each(PATHS)('calls (earlyRefusal: %s)', (earlyRefusal) => {
  const isEarly = earlyRefusal === 'auto';

  test.each([
    ['unary', ['hi'], ['hi']],
    ['collect', ['a', 'b'], ['ab']],
    ['repeat', ['x'], ['x', 'x', 'x']],
    ['chat', ['1', '2'], ['1', '2']],
  ] as const)('%s are served, counted under their method, and end', async (name, messages, expected) => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal } });
    const outcome = await served.call(name, { messages });
    expect(outcome).toMatchObject({ code: status.OK, messages: expected });
    await served.until(() => served.guard.snapshot().counts.CRITICAL.ended === 1);
    const snapshot = served.guard.snapshot();
    const path = { unary: 'Unary', collect: 'Collect', repeat: 'Repeat', chat: 'Chat' }[name];
    expect(snapshot.routes[`/test.Echo/${path}`]).toMatchObject({ started: 1, ended: 1, failed: 0 });
    expect(snapshot).toMatchObject({ inFlight: 0, waiting: 0, gate: { running: 0 } });
  });

  test.each(['unary', 'collect', 'repeat', 'chat'] as const)('%s are refused', async (name) => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal } });
    served.level = 2;
    const { code, metadata, messages } = await served.call(name);
    expect({ code, messages }).toEqual({ code: status.UNAVAILABLE, messages: [] });
    expect(metadata.get('x-envoy-overloaded')).toEqual(['true']);
    const { counts, refusedEarly, inFlight } = served.guard.snapshot();
    expect({ refused: counts.CRITICAL.refused, refusedEarly, inFlight }).toEqual({
      refused: 1,
      refusedEarly: isEarly ? 1 : 0,
      inFlight: 0,
    });
    served.level = 0;
    expect(await served.call(name)).toMatchObject({ code: status.OK });
  });

  test('are refused by criticality, which trusted callers alone say', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal } });
    served.level = 1.2;
    const ask = (criticality: string) =>
      served.call('unary', { metadata: { 'x-request-criticality': criticality } });
    expect((await ask('SHEDDABLE')).code).toBe(status.UNAVAILABLE);
    expect((await ask('CRITICAL_PLUS')).code).toBe(status.OK);
    await served.stop();
    served = await GuardedGrpc.start({ guard: { earlyRefusal, trust: 'none' } });
    served.level = 1.6;
    expect((await ask('CRITICAL_PLUS')).code).toBe(status.UNAVAILABLE);
    expect(served.guard.snapshot().counts).toMatchObject({
      CRITICAL: { refused: 1 },
      CRITICAL_PLUS: { refused: 0 },
    });
  });

  test('whose deadline has passed are refused as such, and not to be retried', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal, concurrency: 1, ...PATIENT } });
    const outcome = await served.call('unary', { metadata: { 'x-envoy-expected-rq-timeout-ms': '0' } });
    expect(outcome.code).toBe(status.DEADLINE_EXCEEDED);
    expect(outcome.metadata.get('grpc-retry-pushback-ms')).toEqual(['-1']);
    expect(served.guard.snapshot().refusals.CRITICAL.deadline).toBe(1);
  });

  test('of a customer beyond its quota are refused with RESOURCE_EXHAUSTED', async () => {
    const charging = (call: UnaryCall, callback: Answer) => {
      currentRequest()!.charge(1);
      callback(null, call.request);
    };
    served = await GuardedGrpc.start({
      guard: {
        earlyRefusal,
        quota: {
          unit: 'things',
          customers: [{ customer: 'greedy', perSecond: 1 }],
          everyoneElse: { perSecond: 1_000 },
        },
      },
      handlers: { unary: charging },
    });
    const ask = (customer: string) => served.call('unary', { metadata: { 'x-plimsoll-customer': customer } });
    let outcome = await ask('greedy');
    expect(outcome.code).toBe(status.OK);
    for (let i = 0; i < 100 && outcome.code === status.OK; i++) outcome = await ask('greedy');
    expect(outcome.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(outcome.metadata.get('grpc-retry-pushback-ms')).toEqual(['1000']);
    expect((await ask('modest')).code).toBe(status.OK);
    expect(served.guard.snapshot().customers['greedy']).toMatchObject({ refused: 1 });
  });

  test('know their request across awaits', async () => {
    const seen: unknown[] = [];
    const look = () => {
      const request = currentRequest();
      seen.push([request?.criticality, request?.customer, request?.attempt, request?.degraded]);
      expect(request?.remainingMs()).toBeLessThanOrEqual(60_000);
      expect(request?.cost).toBeGreaterThanOrEqual(0);
    };
    served = await GuardedGrpc.start({
      guard: { earlyRefusal },
      handlers: {
        unary: async (call: UnaryCall, callback: Answer) => {
          look();
          await sleep(1);
          look();
          await new Promise((resolve) => process.nextTick(resolve));
          look();
          callback(null, call.request);
        },
      },
    });
    const metadata = {
      'x-request-criticality': 'SHEDDABLE_PLUS',
      'x-plimsoll-customer': 'ann',
      'grpc-previous-rpc-attempts': '2',
    };
    await served.call('unary', { metadata, timeoutMs: 60_000 });
    expect(seen).toEqual(Array(3).fill(['SHEDDABLE_PLUS', 'ann', 3, false]));
  });

  test('are answered in a cheaper way before any are refused', async () => {
    served = await GuardedGrpc.start({
      guard: { earlyRefusal },
      grpc: {
        degraded: { '/test.Echo/Unary': (_call, callback) => callback(null, Buffer.from('cheap')) },
      },
    });
    expect((await served.call('unary')).messages).toEqual(['hi']);
    served.level = 0.99;
    expect((await served.call('unary')).messages).toEqual(['cheap']);
    expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ degraded: 1, ended: 2 });
  });

  test('that their callers leave give their places back, in the queue and while they run', async () => {
    const held: Answer[] = [];
    served = await GuardedGrpc.start({
      guard: { earlyRefusal, ...PATIENT },
      handlers: { unary: (_call: UnaryCall, callback: Answer) => held.push(callback) },
    });
    const calls = Array.from({ length: 5 }, () => {
      const call = served.open('unary');
      const outcome = outcomeOf(call);
      call.end(Buffer.from('hi'));
      return { call, outcome };
    });
    await served.until(() => served.guard.snapshot().inFlight === 5);
    expect(served.guard.snapshot()).toMatchObject({ waiting: 4, gate: { running: 1 } });
    for (const { call } of calls.slice(1)) call.cancel();
    await served.until(() => served.guard.snapshot().inFlight === 1);
    calls[0]!.call.cancel();
    await served.until(() => served.guard.snapshot().inFlight === 0);
    for (const { outcome } of calls) expect((await outcome).code).toBe(status.CANCELLED);
    expect(served.guard.snapshot()).toMatchObject({ waiting: 0, gate: { running: 0 } });
    expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ left: 5, ended: 0 });
  });

  test('of which many are left at once leave nothing behind', async () => {
    served = await GuardedGrpc.start({
      guard: { earlyRefusal },
      handlers: {
        unary: async (call: UnaryCall, callback: Answer) => {
          await sleep(5);
          callback(null, call.request);
        },
      },
    });
    for (let round = 0; round < 10; round++) {
      const calls = Array.from({ length: 50 }, () => served.open('unary'));
      const outcomes = calls.map(outcomeOf);
      for (const call of calls) call.end(Buffer.from('hi'));
      await sleep(round % 5);
      for (const call of calls) call.cancel();
      await Promise.all(outcomes);
    }
    await served.until(() => served.guard.snapshot().inFlight === 0);
    expect(served.guard.snapshot().gate.running).toBe(0);
    // So much at once, on a busy machine, may have been a reason to shed; that passes.
    served.guard.mode = 'dry-run';
    expect((await served.call('unary')).code).toBe(status.OK);
  });

  test('with metadata that makes no sense are served, and that is counted', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal } });
    const metadata = { 'x-request-criticality': 'IMPORTANT', 'grpc-previous-rpc-attempts': 'x' };
    expect((await served.call('unary', { metadata })).code).toBe(status.OK);
    expect(served.guard.snapshot().malformedHeaders).toBe(2);
  });

  test('report the load to those who are trusted, on every status', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal } });
    const reportOf = async (name: 'unary' | 'repeat' | 'collect') => {
      const { metadata } = await served.call(name);
      const [bytes] = metadata.get('endpoint-load-metrics-bin');
      return bytes === undefined ? undefined : decodeLoadReportMessage(bytes as Buffer);
    };
    for (const name of ['unary', 'repeat', 'collect'] as const)
      expect(await reportOf(name)).toMatchObject({ inFlight: expect.any(Number) });
    served.level = 2;
    expect(await reportOf('unary')).toMatchObject({ applicationUtilization: expect.any(Number) });
    await served.stop();
    served = await GuardedGrpc.start({ guard: { earlyRefusal, trust: 'none' } });
    expect(await reportOf('unary')).toBeUndefined();
  });

  test('whose handlers fail have a status, and the process goes on', async () => {
    const failures: (() => unknown)[] = [
      () => {
        throw new Error('sync');
      },
      () => Promise.reject(new Error('async')),
      () =>
        Promise.reject(Object.assign(new Error('no such'), { code: status.NOT_FOUND, details: 'no such' })),
      () => Promise.reject(new RejectedError('PLIMSOLL_OVERLOADED', 'below', { retry: 'no' })),
    ];
    let next = 0;
    served = await GuardedGrpc.start({
      guard: { earlyRefusal },
      handlers: { unary: () => failures[next]!(), repeat: () => failures[next]!() },
    });
    for (const name of ['unary', 'repeat'] as const) {
      const codes: number[] = [];
      for (next = 0; next < failures.length; next++) codes.push((await served.call(name)).code);
      expect(codes).toEqual([status.UNKNOWN, status.UNKNOWN, status.NOT_FOUND, status.UNAVAILABLE]);
    }
    await served.until(() => served.guard.snapshot().inFlight === 0);
    expect(served.errors.map((error) => (error as Error).message)).toEqual([
      'sync',
      'async',
      'sync',
      'async',
    ]);
    // NOT_FOUND is no failure of the server.
    expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ ended: 8, failed: 6 });
  });

  test('that end with an error which others end with, too, or which came from elsewhere, say what is true of us', async () => {
    const metadata = new Metadata();
    metadata.set('x-reason', 'by the test');
    // As if the error of a call to a backend that is about to leave was handed on.
    metadata.set(LAME_DUCK_HEADER, 'true');
    const constant = { code: status.NOT_FOUND, details: 'no such', metadata };
    served = await GuardedGrpc.start({
      guard: { earlyRefusal },
      handlers: {
        unary: (_call: UnaryCall, callback: Answer) => callback(constant),
        repeat: (call: EventEmitter) => call.emit('error', constant),
      },
    });
    for (const name of ['unary', 'unary', 'unary', 'repeat'] as const) {
      const ended = await served.call(name);
      expect(ended.code).toBe(status.NOT_FOUND);
      expect(ended.metadata.get('x-reason')).toEqual(['by the test']);
      expect(ended.metadata.get('endpoint-load-metrics-bin').length).toBeLessThanOrEqual(1);
      if (name === 'unary' || isEarly) expect(ended.metadata.get(LAME_DUCK_HEADER)).toEqual([]);
    }
    expect(Object.keys(metadata.getMap())).toEqual(['x-reason', LAME_DUCK_HEADER]);
  });

  test('share a gate with an HTTP server of the same guard', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal } });
    const http = createServer(served.guard.protect((_req, res) => res.end('hello')));
    served.guard.attach(http);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as { port: number };
    const ask = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
      await answer.text();
      return answer.status;
    };
    expect([await ask(), (await served.call('unary')).code]).toEqual([200, status.OK]);
    served.level = 2;
    expect([await ask(), (await served.call('unary')).code]).toEqual([503, status.UNAVAILABLE]);
    await served.until(() => served.guard.snapshot().inFlight === 0);
    expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ ended: 2, refused: 2 });
  });

  test.each(['dry-run', 'off'] as const)('are all served when the mode is %s', async (mode) => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal, mode } });
    served.level = 2;
    expect((await served.call('unary')).code).toBe(status.OK);
    const { onlyReported, counts } = served.guard.snapshot();
    expect(onlyReported).toBe(mode === 'dry-run' ? 1 : 0);
    expect(counts.CRITICAL).toMatchObject({ started: 1, refused: mode === 'dry-run' ? 1 : 0 });
  });

  test('wait for a server that starts, if it says so', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal, starting: true, holdMs: 60_000 } });
    const answer = served.call('unary');
    await sleep(20);
    expect(served.guard.snapshot().counts.CRITICAL.started).toBe(0);
    served.guard.ready();
    expect((await answer).code).toBe(status.OK);
    await served.stop();
    served = await GuardedGrpc.start({ guard: { earlyRefusal, starting: true } });
    expect(await served.call('unary')).toMatchObject({ code: status.UNAVAILABLE, details: 'not ready' });
    served.guard.ready();
  });

  test('go by what routes say of them', async () => {
    served = await GuardedGrpc.start({
      guard: { earlyRefusal, routes: [{ path: '/test.Echo/Unary', exempt: true }] },
    });
    served.level = 2;
    expect((await served.call('unary')).code).toBe(status.OK);
    expect((await served.call('repeat')).code).toBe(status.UNAVAILABLE);
  });

  test('of a server that had its services before it was guarded pass, too', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal }, isLate: true });
    expect((await served.call('unary')).code).toBe(status.OK);
    served.level = 2;
    expect((await served.call('unary')).code).toBe(status.UNAVAILABLE);
    expect(served.guard.snapshot().routes['/test.Echo/Unary']).toMatchObject({ started: 1, refused: 1 });
  });
});

describe('calls', () => {
  test('of methods that there are not are told so, under one name', async () => {
    served = await GuardedGrpc.start();
    const { ECHO } = await import('./guarded-grpc.js');
    for (let i = 0; i < 3; i++) {
      const outcome = await served.call({ ...ECHO.unary, path: `/test.Echo/No${i}` });
      expect(outcome.code).toBe(status.UNIMPLEMENTED);
    }
    expect(Object.keys(served.guard.snapshot().routes)).toEqual(['other']);
  });

  test('that had to wait keep their deadlines', async () => {
    const held: Answer[] = [];
    served = await GuardedGrpc.start({
      guard: PATIENT,
      handlers: { unary: (_call: UnaryCall, callback: Answer) => held.push(callback) },
    });
    const first = served.call('unary');
    const second = served.call('unary', { timeoutMs: 150 });
    await served.until(() => served.guard.snapshot().waiting === 1);
    expect((await second).code).toBe(status.DEADLINE_EXCEEDED);
    await served.until(() => served.guard.snapshot().waiting === 0);
    held[0]!(null, Buffer.from('x'));
    expect((await first).code).toBe(status.OK);
    await served.until(() => served.guard.snapshot().inFlight === 0);
    expect(held).toHaveLength(1);
  });
});
