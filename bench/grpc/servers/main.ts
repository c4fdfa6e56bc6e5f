// A server of gRPC under test, alone in its process.
import * as grpc from '@grpc/grpc-js';
import { customSignal } from 'plimsoll/core';
import { guardGrpc } from 'plimsoll/grpc';
import { createGuard, type Guard, type GuardOptions } from 'plimsoll/server';
import { answerQuestions } from '../../overload/questions.js';
import { type Handler, type HandlerName, handlerNamed, running } from '../../overload/servers/handlers.js';
import type { Usage } from '../../overload/servers/main.js';
import { stolenMs } from '../../overload/stolen-time.js';

const asIs = (bytes: Buffer): Buffer => bytes;

const WORK = {
  do: {
    path: '/bench.Work/Do',
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
} satisfies grpc.ServiceDefinition;

let guard: Guard | undefined;

function listen(handler: Handler, options?: Partial<GuardOptions>): Promise<number> {
  const server = new grpc.Server();
  if (options !== undefined) {
    guard = createGuard(options);
    guardGrpc(server, guard);
  }
  const answer: grpc.handleUnaryCall<Buffer, Buffer> = ({ request }, callback) => {
    const done = handler();
    if (done === undefined) callback(null, request);
    else done.then(() => callback(null, request));
  };
  server.addService(WORK, { do: answer });
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  );
}

/** Beyond what any criticality is served at. */
const FULL = { signals: { custom: [customSignal('full', () => 2)] } };

const SERVERS = {
  'grpc-js': (handler) => listen(handler),
  plimsoll: (handler) => listen(handler, {}),
  'plimsoll, public API': (handler) => listen(handler, { earlyRefusal: 'off' }),
  'refusing: plimsoll': (handler) => listen(handler, FULL),
  'refusing: plimsoll, public API': (handler) => listen(handler, { ...FULL, earlyRefusal: 'off' }),
} satisfies Record<string, (handler: Handler) => Promise<number>>;

export type GrpcServerName = keyof typeof SERVERS;

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    atMs: performance.now(),
    cpuMs: (user + system) / 1_000,
    stolenMs: stolenMs(),
    rssBytes: rss,
    heapBytes: heapUsed,
    mostRssBytes: rss,
    running: running.now,
    mostRunning: running.most,
    snapshot: guard?.snapshot(),
  };
}

answerQuestions({
  listen: ({ server, handler }: { server: GrpcServerName; handler: HandlerName }) =>
    SERVERS[server](handlerNamed(handler)),
  usage,
});
