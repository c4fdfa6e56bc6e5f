import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRateLimits, limitExpress, type RateLimits } from '../../../src/rate-limit/index.js';
import { createGuard } from '../../../src/server/index.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { LIMITED_APPS, type Seen } from './limited-apps.js';

expectNoMishaps();

const HOUR = 'h';

describe.each(Object.entries(LIMITED_APPS))('rules in %s', (_, makeApp) => {
  let limits: RateLimits;
  let server: Server;
  let seen: Seen;
  let errors: unknown[];

  const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const send = (path: string, init: RequestInit = {}) => fetch(url(path), init);

  beforeEach(async () => {
    seen = { requests: 0 };
    errors = [];
    limits = createRateLimits({
      legacyHeaders: true,
      trustedProxies: 1,
      onError: (error) => errors.push(error),
      rules: [
        {
          name: 'few',
          match: { path: '/few/:id' },
          key: 'ip',
          algorithm: 'sliding-log',
          limit: 5,
          window: HOUR,
        },
        {
          name: 'posts',
          match: { method: 'POST' },
          key: 'api-key',
          algorithm: 'token-bucket',
          rate: `3/${HOUR}`,
        },
        { name: 'all', match: { path: '/few/*' }, key: 'all', algorithm: 'fixed-window', rate: '1000/d' },
        {
          name: 'wrong',
          match: { path: '/wrong' },
          key: () => {
            throw new Error('no key');
          },
          algorithm: 'gcra',
          rate: '1/s',
        },
      ],
    });
    server = await makeApp(limits, seen);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await limits.close();
  });

  test('what no rule is for passes as it is', async () => {
    const answer = await send('/free');
    expect([answer.status, await answer.text()]).toEqual([200, 'got 0']);
    expect(answer.headers.has('ratelimit')).toBe(false);
  });

  test('answers say how it stands', async () => {
    const answer = await send('/few/1');
    expect([answer.status, await answer.text()]).toEqual([200, 'got 0']);
    expect(answer.headers.get('ratelimit-policy')).toBe('"few";q=5;w=3600, "all";q=1000;w=86400');
    expect(answer.headers.get('ratelimit')).toMatch(/^"few";r=4;t=3600, "all";r=999;t=\d+$/);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('4');
  });

  test('of many at once exactly the limit passes; the others never reach the application', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => send('/few/1')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(seen.requests).toBe(5);
    const refused = answers.find(({ status }) => status !== 200)!;
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.headers.get('x-envoy-ratelimited')).toBe('true');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_590);
    expect(refused.headers.get('ratelimit')).toMatch(/^"few";r=0;t=3\d{3}$/);
    expect(await refused.json()).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Quota exceeded',
      status: 429,
      'violated-policies': ['few'],
    });
    expect(limits.snapshot()['all']).toMatchObject({ allowed: 40 });
    expect((await send('/few/2', { headers: { 'x-forwarded-for': '1.1.1.1, 9.9.9.9' } })).status).toBe(200);
  });

  test('bodies are read as ever, and those of refused requests do no harm', async () => {
    const init = {
      method: 'POST',
      body: 'x'.repeat(50_000),
      headers: { 'x-api-key': 'k', 'content-type': 'text/plain' },
    };
    for (let i = 0; i < 6; i++) {
      const answer = await send('/any', init);
      const body = await answer.text();
      expect([answer.status, body.startsWith('got 50000')]).toEqual(i < 3 ? [200, true] : [429, false]);
    }
    expect((await send('/any', { ...init, headers: { ...init.headers, 'x-api-key': 'other' } })).status).toBe(
      200,
    );
  });

  test('HEAD has no body', async () => {
    for (let i = 0; i < 5; i++) await (await send('/few/1')).text();
    const answer = await send('/few/1', { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([429, '']);
    expect(answer.headers.get('retry-after')).not.toBe(null);
  });

  test('an error in a rule is one answer, not the end', async () => {
    expect((await send('/wrong')).status).toBe(500);
    expect(errors).toHaveLength(1);
    expect((await send('/free')).status).toBe(200);
  });

  test('neither does writing a long or odd one', async () => {
    const { port } = server.address() as AddressInfo;
    // As it is: fetch would tidy it up.
    const raw = (path: string) =>
      new Promise<number>((resolve, reject) => {
        get({ host: '127.0.0.1', port, path }, (res) => resolve(res.resume().statusCode!)).on(
          'error',
          reject,
        );
      });
    const odd = ['/.'.repeat(70), '/a/..'.repeat(40), '/%2e'.repeat(70), '/x;/..', '/few/;x/../..'];
    for (const before of odd) await raw(`${before}/few/1`);
    expect(await raw('/few/1')).toBe(429);
    for (const before of odd) expect(await raw(`${before}/few/1`)).toBe(429);
  });

  test('writing a path differently does not help', async () => {
    for (const path of ['/few/1', '/FEW/1', '/few/1/', '//few/1', '/%66ew/1'])
      await (await send(path)).text();
    expect((await send('/few/1')).status).toBe(429);
  });
});

test('a router of Express sees whole paths', async () => {
  const limits = createRateLimits({
    rules: [{ name: 'r', match: { path: '/api/few' }, key: 'ip', algorithm: 'gcra', limit: 1, window: HOUR }],
  });
  const app = express();
  app.use('/api', limitExpress(limits), (_req, res) => {
    res.send('api');
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/few`;
  expect([(await fetch(url)).status, (await fetch(url)).status]).toEqual([200, 429]);
  server.closeAllConnections();
  server.close();
  await limits.close();
});

test('behind a guard, its customers have limits of their own', async () => {
  const limits = createRateLimits({
    rules: [{ name: 'r', key: 'customer', algorithm: 'gcra', limit: 1, window: HOUR }],
  });
  const guard = createGuard();
  const server = createServer(guard.protect(limits.wrap((_req, res) => res.end('served'))));
  guard.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const statuses: number[] = [];
  for (const customer of ['ann', 'ann', 'bob']) {
    statuses.push((await fetch(url, { headers: { 'x-plimsoll-customer': customer } })).status);
  }
  expect(statuses).toEqual([200, 429, 200]);
  server.closeAllConnections();
  server.close();
  await limits.close();
});
