import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import * as grpc from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import { LAME_DUCK_HEADER } from '../../../../src/wire/index.js';
import { CERTIFICATE } from '../../client/certificate.js';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { type Answer, GuardedGrpc, outcomeOf, tlsSecrets, type UnaryCall } from './guarded-grpc.js';

const { status } = grpc;

expectNoMishaps();

let served: GuardedGrpc;
afterEach(() => served.client.close());

/** The common name of an accepted certificate is the customer's. */
const byCertificate = ({ socket }: { readonly socket: unknown }) => {
  const { authorized, getPeerCertificate } = socket as Partial<TLSSocket>;
  if (authorized !== true) return undefined;
  return String(getPeerCertificate!.call(socket as TLSSocket).subject.CN);
};

describe.each(['auto', 'off'] as const)('over TLS (earlyRefusal: %s)', (earlyRefusal) => {
  test.each(['unary', 'collect', 'repeat', 'chat'] as const)('%s are served, and refused', async (name) => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal }, secrets: tlsSecrets(false) });
    expect(await served.call(name)).toMatchObject({ code: status.OK });
    served.level = 2;
    const { code, metadata, messages } = await served.call(name);
    expect({ code, messages }).toEqual({ code: status.UNAVAILABLE, messages: [] });
    expect(metadata.get('x-envoy-overloaded')).toEqual(['true']);
    const { refusedEarly, counts, connections } = served.guard.snapshot();
    expect({ refusedEarly, refused: counts.CRITICAL.refused, connections }).toEqual({
      refusedEarly: earlyRefusal === 'auto' ? 1 : 0,
      refused: 1,
      connections: earlyRefusal === 'auto' ? 1 : 0,
    });
    await served.stop();
  });

  test('a certificate tells whose a call is', async () => {
    const guard = { earlyRefusal, trust: 'none', customer: byCertificate } as const;
    served = await GuardedGrpc.start({ guard, secrets: tlsSecrets(true) });
    // Their own word is not believed.
    const metadata = { 'x-plimsoll-customer': 'somebody-else' };
    expect(await served.call('unary', { metadata })).toMatchObject({ code: status.OK });
    expect(Object.keys(served.guard.snapshot().customers)).toEqual(['orders.test']);
    await served.stop();
  });

  test('who shows none where one is asked for is not let in', async () => {
    served = await GuardedGrpc.start({ guard: { earlyRefusal }, secrets: tlsSecrets(true) });
    served.client.close();
    served.client = served.newClient(tlsSecrets(false).client);
    expect(await served.call('unary', { timeoutMs: 2_000 })).toMatchObject({ code: status.UNAVAILABLE });
    expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ started: 0 });
    await served.stop();
  });

  test('a drain is told, serves what runs, and ends what does not end', async () => {
    const answers: Answer[] = [];
    served = await GuardedGrpc.start({
      guard: { earlyRefusal },
      handlers: { unary: (_call: UnaryCall, callback: Answer) => answers.push(callback) },
      secrets: tlsSecrets(false),
    });
    const first = served.call('unary');
    const second = served.call('unary');
    const chat = served.open('chat');
    const chatted = outcomeOf(chat);
    chat.write(Buffer.from('one'));
    await new Promise((resolve) => chat.once('data', resolve));
    await until(() => answers.length === 2);
    const drained = served.guard.drain({ spreadMs: 50, timeoutMs: 500 });
    answers[0]!(null, Buffer.from('in time'));
    const ended = await first;
    expect(ended).toMatchObject({ code: status.OK, messages: ['in time'] });
    expect(ended.metadata.get(LAME_DUCK_HEADER)).toEqual(['true']);
    await drained;
    expect(await second).toMatchObject({ code: status.UNAVAILABLE });
    expect(await chatted).toMatchObject({ code: status.UNAVAILABLE, messages: ['one'] });
    expect(served.guard.snapshot().inFlight).toBe(0);
  });
});

test('a drain sends GOAWAY in two steps over TLS, too', async () => {
  served = await GuardedGrpc.start({ secrets: tlsSecrets(false) });
  const session = connectHttp2(`https://127.0.0.1:${served.port}`, {
    ca: CERTIFICATE,
    servername: 'orders.test',
  });
  const said: [number, number][] = [];
  session.on('goaway', (code: number, lastStream: number) => said.push([code, lastStream]));
  const closed = new Promise((resolve) => session.once('close', resolve));
  const stream = session.request({
    ':method': 'POST',
    ':path': '/test.Echo/Chat',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.resume();
  await until(() => served.guard.snapshot().inFlight === 1);
  const drained = served.guard.drain({ spreadMs: 0, timeoutMs: 60_000 });
  await until(() => said.length === 2);
  expect(said).toEqual([
    [constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1],
    [constants.NGHTTP2_NO_ERROR, 1],
  ]);
  // It ends with its last stream.
  stream.end();
  await Promise.all([drained, closed]);
});

test('what does not speak TLS, or leaves in the midst of it, harms nobody', async () => {
  served = await GuardedGrpc.start({ secrets: tlsSecrets(false) });
  for (const bytes of ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\x00\x01']) {
    const socket = connect(served.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    await new Promise((resolve) => socket.write(bytes, 'latin1', resolve));
    socket.destroy();
  }
  expect(await served.call('unary')).toMatchObject({ code: status.OK });
  expect(served.guard.snapshot().connections).toBe(1);
  await served.stop();
});
