import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { currentRequest } from '../../../../src/server/index.js';
import { PATIENT } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { type Answer, GuardedGrpc, type UnaryCall } from './guarded-grpc.js';

expectNoMishaps();

let served: GuardedGrpc;
afterEach(() => served.stop());

/** Calls that have to wait for each other; what each of them sees of the context it was given when it began. */
async function expectOwn(
  run: (name: string, work: () => Promise<void>) => Promise<void>,
  read: () => unknown,
) {
  const seen: [string, unknown][] = [];
  served = await GuardedGrpc.start({
    guard: PATIENT,
    handlers: {
      unary: (call: UnaryCall, callback: Answer) => {
        const name = call.request.toString();
        return run(name, async () => {
          seen.push([name, read()], [name, currentRequest()!.customer]);
          await sleep(1);
          seen.push([name, read()], [name, currentRequest()!.customer]);
          callback(null, call.request);
        });
      },
    },
  });
  const names = Array.from({ length: 20 }, (_, i) => `call-${i}`);
  const outcomes = await Promise.all(
    names.map((name) =>
      served.call('unary', { messages: [name], metadata: { 'x-plimsoll-customer': name } }),
    ),
  );
  const answered = outcomes.filter(({ code }) => code === status.OK);
  expect(answered.length).toBeGreaterThan(2);
  expect(seen).toHaveLength(4 * answered.length);
  for (const [name, value] of seen) expect(value).toBe(name);
}

describe('context that a handler enters', () => {
  test('is its own, of AsyncLocalStorage', async () => {
    const storage = new AsyncLocalStorage<string>();
    await expectOwn(
      (name, work) => storage.run(name, work),
      () => storage.getStore(),
    );
    expect(storage.getStore()).toBeUndefined();
  });

  describe('of OpenTelemetry', () => {
    const SPAN = createContextKey('span');
    const manager = new AsyncLocalStorageContextManager();
    beforeEach(() => {
      context.setGlobalContextManager(manager.enable());
    });
    afterEach(() => {
      expect(context.active()).toBe(ROOT_CONTEXT);
      context.disable();
    });

    test('is kept', async () => {
      await expectOwn(
        (name, work) => context.with(ROOT_CONTEXT.setValue(SPAN, name), work),
        () => context.active().getValue(SPAN),
      );
    });
  });
});
