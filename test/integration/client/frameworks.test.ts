import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { Fleet } from './fleet.js';

const fleet = new Fleet();
afterEach(() => fleet.stop());

type Call = () => Promise<unknown>;

/** Frameworks that catch what a handler throws before a guard could see it. */
const FRAMEWORKS: Record<string, (call: Call) => Promise<Server>> = {
  express: async (call) => {
    const app = express();
    app.set('env', 'test');
    app.get('/', async (_req, res) => {
      res.send(await call());
    });
    return new Promise((resolve) => {
      const server = app.listen(0, '127.0.0.1', () => resolve(server));
    });
  },
  fastify: async (call) => {
    const app = fastify();
    app.get('/', async () => call());
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  hono: async (call) => {
    const app = new Hono();
    app.get('/', async (context) => context.text(String(await call())));
    const server = createAdaptorServer(app) as Server;
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
  },
};

describe.each(Object.keys(FRAMEWORKS))('what %s answers when the service below is overloaded', (name) => {
  it("is don't retry, without a line of code", async () => {
    const below = await fleet.plain((_req, res) => {
      res.writeHead(503, { 'x-envoy-overloaded': 'true' });
      res.end();
    });
    const client = fleet.client({ backends: [below.url], health: false, retry: false });
    const server = await FRAMEWORKS[name]!(async () => (await client.fetch('/')).text());
    fleet.owns(async () => {
      server.closeAllConnections();
      server.close();
    });
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('x-envoy-overloaded')).toBe('true');
    expect(answer.headers.get('grpc-retry-pushback-ms')).toBe('-1');
    await answer.text();
  });
});
