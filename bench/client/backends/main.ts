// A backend in a process of its own: `listen` starts it, `workedMs` says how much its worker has done.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from 'plimsoll/server';
import { answerQuestions } from '../../overload/questions.js';
import { type BackendOptions, LOOPBACK } from './options.js';
import { Worker } from './worker.js';

/** By the clock: the same on any machine. */
function useCpu(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  useCpu(0.2);
  await wait(1 + Math.random() * 5);
  response.setHeader('content-type', 'application/json');
  response.end(request.method === 'GET' ? JSON.stringify({ path: request.url }) : Buffer.concat(chunks));
}

let running: Awaited<ReturnType<typeof serve>> | undefined;

async function listenEcho(port: number, host: string, mode: 'enforce' | 'dry-run'): Promise<number> {
  // Clients hear by UDP or with their next answer, within milliseconds; a real one would take its time.
  running = await serve(echo, { host, port, mode, drain: { spreadMs: 500, timeoutMs: 10_000 } });
  return running.port;
}

let worker: Worker | undefined;

async function listenWorker(costMs: number): Promise<number> {
  const own = new Worker(costMs);
  own.watch();
  worker = own;
  const handler = async (_request: IncomingMessage, response: ServerResponse) => {
    const now = performance.now();
    await wait(Math.max(0, own.take(now) - now));
    response.end('done');
  };
  const { port } = await serve(handler, {
    host: LOOPBACK,
    // Its load is that of the worker, which is never above 1: nothing is refused, all that differs is who is picked.
    signals: {
      cpu: false,
      eventLoop: false,
      executor: false,
      memory: false,
      custom: [{ name: 'worker', utilization: () => own.busyShare(performance.now()) }],
    },
    concurrency: 100_000,
  });
  return port;
}

async function listenPlain(): Promise<number> {
  const server = createServer((_request, response) => {
    response.end('hello');
  });
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return (server.address() as AddressInfo).port;
}

answerQuestions({
  listen: (options: BackendOptions) => {
    if (options.kind === 'echo')
      return listenEcho(options.port, options.host ?? LOOPBACK, options.mode ?? 'enforce');
    return options.kind === 'worker' ? listenWorker(options.costMs) : listenPlain();
  },
  workedMs: () => worker?.doneMs(performance.now()) ?? 0,
  // By a clock that all processes of a machine share.
  lameDuck: () => {
    const atMs = performance.timeOrigin + performance.now();
    running?.guard.lameDuck();
    return atMs;
  },
});
