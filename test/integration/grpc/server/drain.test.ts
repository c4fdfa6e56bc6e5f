import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import { LAME_DUCK_HEADER } from '../../../../src/wire/index.js';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { type Answer, GuardedGrpc, outcomeOf, type UnaryCall } from './guarded-grpc.js';

expectNoMishaps();

let served: GuardedGrpc;
afterEach(() => served.client.close());

describe.each(['auto', 'off'] as const)('a drain (earlyRefusal: %s)', (earlyRefusal) => {
  test('is said with each status, and serves what comes until it is over', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal } });
    const before = await served.call('unary');
    expect(before.metadata.get(LAME_DUCK_HEADER)).toEqual([]);
    const drained = served.guard.drain({ spreadMs: 100, timeoutMs: 10_000 });
    const during = await served.call('unary');
    expect(during.code).toBe(status.OK);
    expect(during.metadata.get(LAME_DUCK_HEADER)).toEqual(['true']);
    await drained;
    expect((await served.call('unary')).code).not.toBe(status.OK);
  });

  test('waits for calls that run', async () => {
    let answer: Answer | undefined;
    served = await GuardedGrpc.start({
      guard: { earlyRefusal },
      handlers: {
        unary: (_call: UnaryCall, callback: Answer) => {
          answer = callback;
        },
      },
    });
    const running = served.call('unary');
    await until(() => answer !== undefined);
    let isOver = false;
    const drained = served.guard.drain({ spreadMs: 0, timeoutMs: 10_000 }).then(() => {
      isOver = true;
    });
    await sleep(100);
    expect(isOver).toBe(false);
    answer!(null, Buffer.from('late'));
    expect(await running).toMatchObject({ code: status.OK, messages: ['late'] });
    await drained;
    expect(served.guard.snapshot().inFlight).toBe(0);
  });

  test('ends what still runs when its time is over with a status, not with a reset', async () => {
    const answers: Answer[] = [];
    served = await GuardedGrpc.start({
      guard: { earlyRefusal },
      handlers: { unary: (_call: UnaryCall, callback: Answer) => answers.push(callback) },
    });
    const unary = served.call('unary');
    const chat = served.open('chat');
    const chatted = outcomeOf(chat);
    const isHeard = new Promise((resolve) => chat.once('data', resolve));
    chat.write(Buffer.from('one'));
    await until(() => answers.length === 1 && served.guard.snapshot().inFlight === 2);
    await isHeard;
    await served.guard.drain({ spreadMs: 0, timeoutMs: 100 });
    expect(await unary).toMatchObject({ code: status.UNAVAILABLE, messages: [] });
    expect(await chatted).toMatchObject({ code: status.UNAVAILABLE, messages: ['one'] });
    // Nobody hears what its handler still says, and nothing breaks.
    answers[0]!(null, Buffer.from('too late'));
    expect(served.guard.snapshot().inFlight).toBe(0);
  });
});

test('a drain ends at once when nothing runs, though clients keep their connections', async () => {
  served = await GuardedGrpc.start();
  await served.call('unary');
  const startedMs = performance.now();
  await served.guard.drain({ spreadMs: 0, timeoutMs: 10_000 });
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
