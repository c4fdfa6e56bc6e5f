import { setTimeout as sleep } from 'node:timers/promises';
import type { MethodDefinition } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import {
  decodeHealthResponse,
  decodeLoadReportMessage,
  encodeHealthRequest,
  encodeReportRequest,
  SERVING_STATUS,
} from '../../../../src/wire/index.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { ECHO, GuardedGrpc, outcomeOf } from './guarded-grpc.js';

expectNoMishaps();

let served: GuardedGrpc;
afterEach(() => served.stop());

const at = (path: string): MethodDefinition<Buffer, Buffer> => ({ ...ECHO.unary, path });
const CHECK = at('/grpc.health.v1.Health/Check');
const WATCH = at('/grpc.health.v1.Health/Watch');
const LIST = at('/grpc.health.v1.Health/List');
const REPORTS = at('/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics');

/** A stream, and the messages that have come on it. */
function listen(definition: MethodDefinition<Buffer, Buffer>, request: Buffer) {
  const call = served.open(definition);
  const messages: Buffer[] = [];
  call.on('data', (message: Buffer) => messages.push(message));
  const outcome = outcomeOf(call);
  call.end(request);
  return { call, messages, outcome };
}

async function check(service = ''): Promise<{ code: number; serving: number | undefined }> {
  const { messages, outcome } = listen(CHECK, encodeHealthRequest(service));
  const { code } = await outcome;
  return { code, serving: messages[0] && decodeHealthResponse(messages[0]) };
}

describe.each(['auto', 'off'] as const)('services of the guard (earlyRefusal: %s)', (earlyRefusal) => {
  test('tell how it is, whatever is refused', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal, starting: true } });
    expect(await check()).toEqual({ code: status.OK, serving: SERVING_STATUS.notServing });
    served.guard.ready();
    served.level = 2;
    for (const service of ['', 'test.Echo', 'grpc.health.v1.Health'])
      expect(await check(service)).toEqual({ code: status.OK, serving: SERVING_STATUS.serving });
    expect(await check('test.Other')).toEqual({ code: status.NOT_FOUND, serving: undefined });
    const { messages, outcome } = listen(LIST, Buffer.alloc(0));
    expect((await outcome).code).toBe(status.OK);
    expect(messages[0]!.toString()).toContain('test.Echo');
    served.guard.lameDuck();
    expect(await check()).toEqual({ code: status.OK, serving: SERVING_STATUS.notServing });
  });

  test('tell of changes to those who watch', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal, starting: true } });
    const { messages, call, outcome } = listen(WATCH, encodeHealthRequest('test.Echo'));
    const unknown = listen(WATCH, encodeHealthRequest('test.Other'));
    await served.until(() => messages.length === 1 && unknown.messages.length === 1);
    served.guard.ready();
    await served.until(() => messages.length === 2);
    served.guard.lameDuck();
    await served.until(() => messages.length === 3);
    const { notServing, serving, serviceUnknown } = SERVING_STATUS;
    expect(messages.map(decodeHealthResponse)).toEqual([notServing, serving, notServing]);
    expect(decodeHealthResponse(unknown.messages[0]!)).toBe(serviceUnknown);
    expect(served.guard.snapshot().inFlight).toBe(0);
    call.cancel();
    await outcome;
    await served.guard.drain({ spreadMs: 0, timeoutMs: 5_000 });
    expect((await unknown.outcome).code).toBe(status.UNAVAILABLE);
  });

  test('are not told to strangers, nor to more than may hear', async () => {
    const grpc = { maxWatchers: 1, maxReportStreams: 1 };
    served = await GuardedGrpc.start({ guard: { earlyRefusal }, grpc });
    for (const definition of [WATCH, REPORTS]) {
      const first = listen(definition, Buffer.alloc(0));
      await served.until(() => first.messages.length === 1);
      expect((await listen(definition, Buffer.alloc(0)).outcome).code).toBe(status.UNIMPLEMENTED);
      first.call.cancel();
      // Its place is free when the server has heard.
      let next = listen(definition, Buffer.alloc(0));
      while ((await Promise.race([next.outcome, sleep(200)])) !== undefined)
        next = listen(definition, Buffer.alloc(0));
      expect(next.messages).toHaveLength(1);
      next.call.cancel();
    }
    await served.stop();
    served = await GuardedGrpc.start({ guard: { earlyRefusal, trust: 'none' } });
    expect((await check()).code).toBe(status.OK);
    for (const definition of [WATCH, REPORTS])
      expect((await listen(definition, Buffer.alloc(0)).outcome).code).toBe(status.UNIMPLEMENTED);
  });

  test('report the load out of band, no faster than they may', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal }, grpc: { leastReportMs: 50 } });
    const startedMs = performance.now();
    const fast = listen(REPORTS, encodeReportRequest(1));
    const slow = listen(REPORTS, encodeReportRequest(60_000));
    await served.until(() => fast.messages.length >= 4);
    // Three intervals and the first at once; timers of Node may be a millisecond early.
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(3 * 49);
    expect(decodeLoadReportMessage(fast.messages[0]!)).toMatchObject({ inFlight: 0 });
    expect(slow.messages).toHaveLength(1);
    for (const { call } of [fast, slow]) call.cancel();
  });

  test('can be left out', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal }, grpc: { health: false, orca: false } });
    expect((await check()).code).toBe(status.UNIMPLEMENTED);
    expect((await listen(REPORTS, Buffer.alloc(0)).outcome).code).toBe(status.UNIMPLEMENTED);
  });
});
