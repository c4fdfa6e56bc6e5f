import { createServer, type Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { limitExpress, limitFastify, limitHono, type RateLimits } from '../../../src/rate-limit/index.js';

/** What reached the application. */
export interface Seen {
  requests: number;
}

export type LimitedApp = (limits: RateLimits, seen: Seen) => Promise<Server>;

/** The same few routes, each framework in its own way. */
export const LIMITED_APPS: Record<string, LimitedApp> = {
  'node:http': async (limits, seen) =>
    createServer(
      limits.wrap((req, res) => {
        seen.requests++;
        let length = 0;
        req.on('data', ({ byteLength }: Buffer) => {
          length += byteLength;
        });
        req.on('end', () => res.end(`got ${length}`));
      }),
    ),

  express: async (limits, seen) => {
    const app = express();
    app.use(limitExpress(limits));
    app.use(express.text());
    app.use((req, res) => {
      seen.requests++;
      res.send(`got ${typeof req.body === 'string' ? req.body.length : 0}`);
    });
    return createServer(app);
  },

  fastify: async (limits, seen) => {
    const app = fastify();
    app.addHook('onRequest', limitFastify(limits));
    app.all('/*', async ({ body }) => {
      seen.requests++;
      return `got ${typeof body === 'string' ? body.length : 0}`;
    });
    await app.ready();
    return app.server;
  },

  hono: async (limits, seen) => {
    const app = new Hono();
    app.use(limitHono(limits));
    app.all('/*', async (context) => {
      seen.requests++;
      // A Response of one's own, whose headers are not those of the context.
      return new Response(`got ${(await context.req.text()).length}`);
    });
    return createAdaptorServer({ fetch: app.fetch }) as Server;
  },
};
