import type { Server } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { guardExpress } from '../../../src/server/express.js';
import { guardFastify } from '../../../src/server/fastify.js';
import { guardHono } from '../../../src/server/hono.js';
import { currentRequest, type Guard } from '../../../src/server/index.js';

/** What a framework has seen of the requests that were sent. */
export interface Seen {
  requests: number;
  /** Streams that were told that their client is gone. */
  broken: number;
}

/** The same few routes, written for each framework in its own way. */
export type FrameworkApp = (guard: Guard, seen: Seen) => Promise<Server> | Server;

export const STREAMED_BYTES = 1_000_000;

async function lengthOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let length = 0;
  for await (const { byteLength } of chunks) length += byteLength;
  return `got ${length}`;
}

async function who() {
  await sleep(2);
  await turn();
  const { criticality, customer, attempt, degraded } = currentRequest()!;
  return { criticality, customer, attempt, degraded };
}

function* streamed() {
  for (let sent = 0; sent < STREAMED_BYTES; sent += 10_000) yield Buffer.alloc(10_000, 'x');
}

/** Never ends by itself. */
async function* drops(seen: Seen) {
  try {
    for (;;) {
      yield Buffer.from('drop ');
      await sleep(1);
    }
  } finally {
    seen.broken++;
  }
}

const fastifyApp: FrameworkApp = async (guard, seen) => {
  const app = fastify({ serverFactory: guardFastify(guard) });
  app.addHook('onRequest', async () => {
    seen.requests++;
  });
  app.setErrorHandler((error: Error, _request, reply) => reply.code(500).send(`app: ${error.message}`));
  // As it comes, instead of read beforehand.
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  app.get('/plain', (_request, reply) => reply.send('plain'));
  app.post('/upload', async ({ body }) => lengthOf(body as Readable));
  app.get('/stream', (_request, reply) => reply.send(Readable.from(streamed())));
  app.get('/throws', () => {
    throw new Error('thrown');
  });
  app.get('/rejects', async () => {
    await turn();
    throw new Error('rejected');
  });
  app.get('/hang', () => {});
  app.get('/drops', (_request, reply) => reply.send(Readable.from(drops(seen))));
  app.get('/who', who);
  await app.ready();
  return app.server;
};

const expressApp: FrameworkApp = (guard, seen) => {
  const app = express();
  app.use((_req, _res, next) => {
    seen.requests++;
    next();
  });
  app.get('/plain', (_req, res) => {
    res.send('plain');
  });
  app.post('/upload', async (req, res) => {
    res.send(await lengthOf(req));
  });
  app.get('/stream', (_req, res) => {
    Readable.from(streamed()).pipe(res);
  });
  app.get('/throws', () => {
    throw new Error('thrown');
  });
  app.get('/rejects', async () => {
    await turn();
    throw new Error('rejected');
  });
  app.get('/hang', () => {});
  app.get('/drops', (_req, res) => {
    const stream = Readable.from(drops(seen));
    stream.pipe(res);
    res.on('close', () => stream.destroy());
  });
  app.get('/who', async (_req, res) => {
    res.json(await who());
  });
  app.use(((error, _req, res, next) => {
    if (res.headersSent) next(error);
    else res.status(500).send(`app: ${error.message}`);
  }) as express.ErrorRequestHandler);
  return guardExpress(guard, app);
};

const honoApp: FrameworkApp = (guard, seen) => {
  const app = new Hono();
  app.use(async (_c, next) => {
    seen.requests++;
    await next();
  });
  app.onError((error, c) => c.text(`app: ${error.message}`, 500));
  const stream = (from: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) =>
    new Response(Readable.toWeb(Readable.from(from)) as unknown as ReadableStream);
  app.get('/plain', (c) => c.text('plain'));
  app.post('/upload', async (c) => c.text(await lengthOf(c.req.raw.body as AsyncIterable<Uint8Array>)));
  app.get('/stream', () => stream(streamed()));
  app.get('/throws', () => {
    throw new Error('thrown');
  });
  app.get('/rejects', async () => {
    await turn();
    throw new Error('rejected');
  });
  app.get('/hang', () => new Promise(() => {}));
  app.get('/drops', () => stream(drops(seen)));
  app.get('/who', async (c) => c.json(await who()));
  return createAdaptorServer({ fetch: app.fetch, createServer: guardHono(guard) }) as Server;
};

export const FRAMEWORKS: Readonly<Record<string, FrameworkApp>> = {
  Fastify: fastifyApp,
  Express: expressApp,
  Hono: honoApp,
};
