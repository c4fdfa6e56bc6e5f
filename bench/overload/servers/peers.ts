import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GREETING_PATH } from '../load/requests.js';
import type { Handler } from './handlers.js';
import { BODY, listen, respondWith } from './node-http.js';

/** Each package as its own readme shows it. Loaded only where it is measured: all of them start timers. */

/** @fastify/under-pressure looks each second unless told otherwise. */
export async function listenUnderPressure(handler: Handler, sampleInterval?: number): Promise<number> {
  const [{ default: fastify }, { default: underPressure }] = await Promise.all([
    import('fastify'),
    import('@fastify/under-pressure'),
  ]);
  const app = fastify();
  await app.register(underPressure, {
    maxEventLoopDelay: 100,
    ...(sampleInterval === undefined ? {} : { sampleInterval }),
  });
  app.get(GREETING_PATH, (_request, reply) => {
    reply.send(BODY);
  });
  app.get('/', (_request, reply) => {
    const done = handler();
    if (done === undefined) reply.send(BODY);
    else done.then(() => reply.send(BODY));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

export async function listenTooBusy(handler: Handler): Promise<number> {
  const { default: toobusy } = await import('toobusy-js');
  const respond = respondWith(handler);
  return listen(
    createServer((request, response) => {
      if (toobusy()) {
        response.statusCode = 503;
        response.end('too busy');
      } else {
        respond(request, response);
      }
    }),
  );
}

export async function listenOverloadProtection(handler: Handler): Promise<number> {
  const { default: overloadProtection } = await import('overload-protection');
  const protect = overloadProtection('http');
  const respond = respondWith(handler);
  return listen(
    createServer((request, response) => {
      if (protect(request, response)) return;
      respond(request, response);
    }),
  );
}
