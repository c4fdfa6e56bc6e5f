import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { interceptors, request, fetch as undiciFetch } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../server/guarded-server.js';
import { CERTIFICATE, KEY } from './certificate.js';
import { Fleet } from './fleet.js';

const fleet = new Fleet();
afterEach(() => fleet.stop());

/** Says what it was asked. */
const echo = async (req: import('node:http').IncomingMessage, res: import('node:http').ServerResponse) => {
  const body = await text(req);
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body }));
};

interface Echo {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

describe('fetch and request', () => {
  it('sends paths, queries, bodies and headers as they are', async () => {
    const server = await fleet.plain(echo);
    const client = fleet.client({ backends: [server.url] });
    const got = (await (await client.fetch('/a/b?c=1', { headers: { 'x-one': '1' } })).json()) as Echo;
    expect(got).toMatchObject({ method: 'GET', url: '/a/b?c=1', headers: { 'x-one': '1' } });
    const posted = (await (await client.fetch('/p', { method: 'POST', body: 'hello' })).json()) as Echo;
    expect(posted).toMatchObject({ method: 'POST', url: '/p', body: 'hello' });
    const { body, statusCode } = await client.request('/q', { query: { x: 2 }, headers: ['x-two', '2'] });
    expect(statusCode).toBe(200);
    expect((await body.json()) as Echo).toMatchObject({ url: '/q?x=2', headers: { 'x-two': '2' } });
  });

  it('works as the dispatcher of undici, of the built-in fetch, and under interceptors', async () => {
    const server = await fleet.plain(echo);
    const { dispatcher } = fleet.client({ backends: [server.url] });
    const viaUndici = (await (await undiciFetch('http://orders/x', { dispatcher })).json()) as Echo;
    expect(viaUndici).toMatchObject({ url: '/x', headers: { host: 'orders' } });
    const viaBuiltIn = await fetch('http://orders/y', { dispatcher } as object);
    expect((await viaBuiltIn.json()) as Echo).toMatchObject({ url: '/y', headers: { host: 'orders' } });
    const viaRequest = await request('http://orders/z', { dispatcher });
    expect((await viaRequest.body.json()) as Echo).toMatchObject({ url: '/z' });
    const composed = dispatcher.compose(interceptors.redirect({ maxRedirections: 1 }));
    const viaInterceptor = await request('http://orders/i', { dispatcher: composed });
    expect((await viaInterceptor.body.json()) as Echo).toMatchObject({ url: '/i' });
  });

  it('calls backends by their own host, by the one that is given, or by the one of the URL', async () => {
    const server = await fleet.plain(echo);
    const plain = fleet.client({ backends: [server.url] });
    expect(((await (await plain.fetch('/')).json()) as Echo).headers['host']).toBe(
      `127.0.0.1:${server.port}`,
    );
    const named = fleet.client({ backends: [server.url], host: 'orders.internal' });
    expect(((await (await named.fetch('/')).json()) as Echo).headers['host']).toBe('orders.internal');
    expect(((await (await named.fetch('http://other/')).json()) as Echo).headers['host']).toBe('other');
  });

  it('tells criticality, attempt, customer and the time that remains', async () => {
    const server = await fleet.plain(echo);
    const client = fleet.client({ backends: [server.url], customer: 'mail' });
    const { headers } = (await (
      await client.fetch('/', {
        criticality: 'SHEDDABLE',
        timeoutMs: 5_000,
        headers: { 'x-request-criticality': 'CRITICAL_PLUS' },
      })
    ).json()) as Echo;
    expect(headers).toMatchObject({
      'x-request-criticality': 'SHEDDABLE',
      'x-envoy-attempt-count': '1',
      'x-plimsoll-customer': 'mail',
      baggage: 'criticality=SHEDDABLE',
    });
    expect(Number(headers['x-envoy-expected-rq-timeout-ms'])).toBeLessThanOrEqual(5_000);
    expect(Number(headers['x-envoy-expected-rq-timeout-ms'])).toBeGreaterThan(3_000);
  });

  it('refuses impossible options of one request, and goes on', async () => {
    const server = await fleet.plain(echo);
    const client = fleet.client({ backends: [server.url] });
    await expect(client.request('/', { criticality: 'URGENT' as never })).rejects.toThrow(
      'criticality must be one of',
    );
    await expect(client.request('/', { headers: { 'bad name': 'x' } })).rejects.toThrow('invalid header key');
    expect((await client.fetch('/')).status).toBe(200);
    expect(client.snapshot()).toMatchObject({ active: 0, waiting: 0 });
  });
});

describe('fetch', () => {
  it('takes requests of both kinds, and bodies of all', async () => {
    const server = await fleet.plain(echo);
    const client = fleet.client({ backends: [server.url] });
    const builtIn = new Request('http://orders/r', { method: 'PUT', body: 'x', headers: { 'x-one': '1' } });
    expect((await (await client.fetch(builtIn)).json()) as Echo).toMatchObject({
      method: 'PUT',
      url: '/r',
      body: 'x',
      headers: { 'x-one': '1', host: 'orders' },
    });
    const form = new FormData();
    form.set('a', 'b');
    for (const [body, expected] of [
      ['text', 'text'],
      [new TextEncoder().encode('bytes'), 'bytes'],
      [new TextEncoder().encode('buffer').buffer, 'buffer'],
      [new URLSearchParams({ a: '1' }), 'a=1'],
      [new Blob(['blob']), 'blob'],
      [form, 'name="a"'],
    ] as const) {
      const got = (await (await client.fetch('/', { method: 'POST', body: body as never })).json()) as Echo;
      expect(got.body).toContain(expected);
    }
  });

  it('follows redirects within the service, and no other', async () => {
    const server = await fleet.plain((req, res) => {
      if (req.url === '/here') res.writeHead(307, { location: '/there' });
      if (req.url === '/named') res.writeHead(301, { location: `http://${req.headers.host}/there` });
      if (req.url === '/away') res.writeHead(302, { location: 'http://elsewhere.test/' });
      res.end(req.url);
    });
    const client = fleet.client({ backends: [server.url] });
    expect(await (await client.fetch('/here', { method: 'POST', body: 'x' })).text()).toBe('/there');
    expect(await (await client.fetch('/named')).text()).toBe('/there');
    await expect(client.fetch('/away')).rejects.toThrow(
      "redirected to http://elsewhere.test, which is not this client's",
    );
    expect((await client.fetch('/away', { redirect: 'manual' })).status).toBe(302);
    expect(server.requests).toBe(6);
  });
});

describe('streaming', () => {
  it('sends a body as it comes, and no faster than it is read', async () => {
    let pulled = 0;
    let letRead!: () => void;
    const mayRead = new Promise<void>((resolve) => {
      letRead = resolve;
    });
    const server = await fleet.plain(async (req, res) => {
      await mayRead;
      let bytes = 0;
      for await (const chunk of req) bytes += (chunk as Buffer).length;
      res.end(String(bytes));
    });
    const client = fleet.client({ backends: [server.url] });
    const chunk = Buffer.alloc(65_536);
    const body = Readable.from(
      (function* () {
        for (; pulled < 400; pulled++) yield chunk;
      })(),
    );
    const answer = client.request('/', { method: 'POST', body });
    await until(() => pulled > 2);
    // What sockets hold is a few megabytes; all would be 26.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(pulled).toBeLessThan(300);
    letRead();
    expect(await (await answer).body.text()).toBe(String(400 * 65_536));
  });

  it('hands an answer on as it comes, with its trailers, and no faster than it is read', async () => {
    let written = 0;
    const server = await fleet.plain(async (_req, res) => {
      res.writeHead(200, { trailer: 'x-sum' });
      for (; written < 400; written++) if (!res.write(Buffer.alloc(65_536))) await once(res, 'drain');
      res.addTrailers({ 'x-sum': '42' });
      res.end();
    });
    const client = fleet.client({ backends: [server.url] });
    const { body, trailers } = await client.request('/');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(written).toBeLessThan(300);
    expect(client.snapshot().active).toBe(1);
    let bytes = 0;
    for await (const chunk of body) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(400 * 65_536);
    expect(trailers).toEqual({ 'x-sum': '42' });
    expect(client.snapshot().active).toBe(0);
  });

  it('ends with an abort, whether it waits, is under way, or is being answered', async () => {
    let closed = 0;
    const server = await fleet.plain((req, res) => {
      res.on('close', () => closed++);
      if (req.url === '/half') res.write('half');
    });
    const client = fleet.client({ backends: [server.url] });
    const abort = new AbortController();
    const waiting = client.fetch('/never', { signal: abort.signal });
    const half = await client.fetch('/half', { signal: abort.signal });
    await until(() => server.requests === 2);
    expect(client.snapshot().active).toBe(2);
    abort.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await expect(half.text()).rejects.toThrow('aborted');
    await expect(client.fetch('/', { signal: abort.signal })).rejects.toThrow('aborted');
    await until(() => closed === 2);
    expect(client.snapshot()).toMatchObject({ active: 0, counts: { outcomes: { aborted: 2, broken: 0 } } });
  });

  it('blames no backend for a body that fails by itself', async () => {
    const server = await fleet.plain(echo);
    const client = fleet.client({ backends: [server.url] });
    const body = Readable.from(
      (async function* () {
        yield 'a';
        throw new Error('the disk is gone');
      })(),
    );
    await expect(client.request('/', { method: 'PUT', body })).rejects.toThrow('the disk is gone');
    const { counts, active } = client.snapshot();
    expect(active).toBe(0);
    expect(counts.outcomes.broken).toBe(0);
  });
});

describe('TLS', () => {
  it('checks the certificate for the name that backends are called, and says it to them', async () => {
    const names: unknown[] = [];
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, echo);
    server.on('secureConnection', ({ servername }) => names.push(servername));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    fleet.owns(async () => {
      server.closeAllConnections();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = fleet.client({
      backends: [url],
      host: 'orders.test',
      connections: { tls: { ca: CERTIFICATE } },
      health: false,
    });
    expect(((await (await client.fetch('/')).json()) as Echo).headers['host']).toBe('orders.test');
    expect(names).toEqual(['orders.test']);
    const wrong = fleet.client({
      backends: [url],
      host: 'elsewhere.test',
      connections: { tls: { ca: CERTIFICATE } },
      health: false,
    });
    await expect(wrong.fetch('/')).rejects.toThrow();
  });
});
