import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../server/guarded-server.js';
import { expectNoMishaps } from '../../server/mishaps.js';
import { answerOf, closeOf } from './http2-client.js';
import { Http2Stage, TLS } from './http2-stage.js';

expectNoMishaps();

const stage = new Http2Stage();
afterEach(() => stage.stop());

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return text;
}

async function askOld(port: number, path: string, isEncrypted = false): Promise<string> {
  const ask = isEncrypted ? request : httpRequest;
  const asked = ask({ host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return textOf(answer);
}

describe('HTTP/2 without TLS', () => {
  it('reaches services as HTTP/1.1 does, on the same port', async () => {
    const backend = await stage.backend();
    const { gateway, port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`);
    const client = stage.client(port);
    const answer = await client.ask('/a?b=c', { cookie: ['x=1', 'y=2'], 'x-own': 'v' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({
      method: 'GET',
      url: '/a?b=c',
      headers: { host: `127.0.0.1:${port}`, cookie: 'x=1; y=2', 'x-own': 'v', 'x-forwarded-proto': 'http' },
    });
    expect(answer.headers).not.toHaveProperty('connection');
    expect(JSON.parse(await askOld(port, '/one'))).toMatchObject({ url: '/one' });
    const posted = await client.ask('/p', { ':method': 'POST', 'content-length': 5 }, 'hello');
    expect(JSON.parse(posted.text)).toMatchObject({ body: 'hello', headers: { 'content-length': '5' } });
    const streamed = await client.ask('/p', { ':method': 'POST' }, 'x'.repeat(200_000));
    expect(JSON.parse(streamed.text).body).toHaveLength(200_000);
    expect(gateway.snapshot().guard).toMatchObject({ connections: 1, inFlight: 0, waiting: 0 });
  });

  it('is for those who were told to: without the setting there is HTTP/1.1 alone', async () => {
    const backend = await stage.backend();
    const { port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`, 'http2: false');
    const client = stage.client(port);
    await expect(client.ask('/')).rejects.toThrow();
    expect(JSON.parse(await askOld(port, '/one'))).toMatchObject({ url: '/one' });
  });

  it('answers HEAD, statuses without a body, and what has no route', async () => {
    const backend = await stage.backend();
    backend.handler = (req, res) => {
      if (req.url === '/204') res.writeHead(204).end();
      else if (req.url === '/304') res.writeHead(304, { etag: '"a"' }).end();
      else res.writeHead(200, { 'content-length': '5', 'set-cookie': ['a=1', 'b=2'] }).end('hello');
    };
    const { port } = await stage.gateway(`routes: [{ path: "/:x", to: "${backend.url}" }]`);
    const client = stage.client(port);
    const head = await client.ask('/head', { ':method': 'HEAD' });
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '5', '']);
    expect(head.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect((await client.ask('/204')).status).toBe(204);
    expect((await client.ask('/304')).headers).toMatchObject({ ':status': 304, etag: '"a"' });
    const none = await client.ask('/no/route');
    expect([none.status, JSON.parse(none.text)]).toEqual([404, { title: 'No route', status: 404 }]);
    const connect = client.open({ ':method': 'CONNECT', ':authority': 'a:1' });
    const [refused] = await once(connect, 'response');
    expect(refused[':status']).toBe(405);
  });

  it('passes trailers of an answer on', async () => {
    const backend = await stage.backend();
    backend.handler = (_req, res) => {
      res.writeHead(200, { trailer: 'x-sum' });
      res.write('hello');
      res.addTrailers({ 'x-sum': '5', 'x-plimsoll-own': '9' });
      res.end();
    };
    const { port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`);
    const { text, trailers } = await stage.client(port).ask('/');
    expect([text, trailers]).toEqual(['hello', expect.objectContaining({ 'x-sum': '5' })]);
    expect(trailers).not.toHaveProperty('x-plimsoll-own');
  });

  it('carries many requests at once on one connection', async () => {
    const backend = await stage.backend();
    // What a cold process takes for too much at once is another matter.
    const { gateway, port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`, undefined, {
      mode: 'dry-run',
    });
    const client = stage.client(port);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => client.ask(`/${i}`)));
    expect(answers.map(({ text }) => JSON.parse(text).url)).toEqual(answers.map((_, i) => `/${i}`));
    expect(gateway.snapshot().guard.connections).toBe(1);
  });
});

describe('HTTP/2 with TLS', () => {
  it('is agreed on in the handshake, beside HTTP/1.1', async () => {
    const backend = await stage.backend();
    const { port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`, TLS);
    const answer = await stage.client(port, { tls: true }).ask('/two');
    expect(JSON.parse(answer.text)).toMatchObject({ url: '/two', headers: { 'x-forwarded-proto': 'https' } });
    expect(JSON.parse(await askOld(port, '/one', true))).toMatchObject({ url: '/one' });
  });

  it('can be switched off', async () => {
    const backend = await stage.backend();
    const { port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`, `${TLS}, http2: false`);
    const socket = tlsConnect({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).not.toBe('h2');
    socket.destroy();
  });
});

describe('a stream of its own', () => {
  it('is read no faster than its backend reads, and answered no faster than its client reads', async () => {
    const backend = await stage.backend();
    let sent = 0;
    let received = 0;
    let goOn: (() => void) | undefined;
    backend.handler = (req, res) => {
      if (req.method === 'POST') {
        goOn = () =>
          req.on('data', (chunk: Buffer) => (received += chunk.length)).on('end', () => res.end('ok'));
        return;
      }
      const chunk = Buffer.alloc(65_536);
      const write = () => {
        while (sent < 64 * 1_048_576) {
          sent += chunk.length;
          if (!res.write(chunk)) return void res.once('drain', write);
        }
        res.end();
      };
      write();
    };
    const { port } = await stage.gateway(`routes: [{ to: "${backend.url}", maxBody: 100MB }]`);
    const client = stage.client(port);
    const slow = client.open({ ':path': '/' }, true);
    await once(slow, 'response');
    slow.pause();
    const upload = client.open({ ':path': '/', ':method': 'POST' });
    // More than all windows and buffers on the way hold together: a single megabyte may be on its way in whole.
    const chunk = Buffer.alloc(1_048_576);
    let isFull = false;
    for (let i = 0; i < 32; i++) isFull = !upload.write(chunk);
    // Others are served meanwhile, and what is not read stays where it is.
    const before = { sent: -1 };
    await until(() => {
      const isStill = before.sent === sent;
      before.sent = sent;
      return isStill && sent > 0;
    });
    expect(sent).toBeLessThan(16 * 1_048_576);
    expect(isFull).toBe(true);
    expect(upload.writableLength).toBeGreaterThan(0);
    await until(() => goOn !== undefined);
    const first = goOn!;
    const other = client.open({ ':path': '/', ':method': 'POST' });
    other.end(Buffer.alloc(200_000));
    await until(() => goOn !== first);
    goOn!();
    expect((await answerOf(other)).text).toBe('ok');
    goOn = first;
    goOn!();
    upload.end();
    expect((await answerOf(upload)).text).toBe('ok');
    expect(received).toBeGreaterThanOrEqual(32 * 1_048_576);
    slow.close();
  });

  it('ends alone when its client resets it, and everything behind it is let go of', async () => {
    const backend = await stage.backend();
    let closed = 0;
    let begun = 0;
    backend.handler = (req, res) => {
      if (req.url === '/fine') return void res.end('fine');
      begun++;
      res.on('close', () => closed++);
      if (req.url === '/half') res.write('half');
      req.resume();
    };
    const { gateway, port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`);
    const client = stage.client(port);
    const streams = ['/never', '/half'].map((path) => client.open({ ':path': path }, true));
    streams.push(client.open({ ':path': '/body', ':method': 'POST' }));
    streams[2]!.write('x');
    await until(() => begun === 3);
    expect(gateway.guard.snapshot().inFlight).toBe(3);
    for (const stream of streams) stream.close(8);
    await until(() => closed === 3 && gateway.guard.snapshot().inFlight === 0);
    expect((await client.ask('/fine')).text).toBe('fine');
    expect(client.goAways).toEqual([]);
  });

  it('is reset alone when its backend breaks off in the middle of an answer', async () => {
    const backend = await stage.backend();
    backend.handler = (req, res) => {
      if (req.url === '/fine') return void res.end('fine');
      res.writeHead(200, req.url === '/length' ? { 'content-length': '100' } : {});
      res.write('half');
      setTimeout(() => res.destroy(), 20);
    };
    const { port } = await stage.gateway(`routes: [{ to: "${backend.url}" }]`);
    const client = stage.client(port);
    for (const path of ['/length', '/chunks']) {
      const stream = client.open({ ':path': path }, true);
      await closeOf(stream.resume());
      expect([path, stream.rstCode]).toEqual([path, 2]);
    }
    expect((await client.ask('/fine')).text).toBe('fine');
  });

  it('is answered before the end of its body, which is then not wanted', async () => {
    const backend = await stage.backend();
    const { port } = await stage.gateway(`routes: [{ to: "${backend.url}", maxBody: 1KB }]`);
    const client = stage.client(port);
    const declared = client.open({ ':path': '/', ':method': 'POST', 'content-length': 100_000 });
    declared.write('x');
    expect((await answerOf(declared)).status).toBe(413);
    expect(declared.rstCode).toBe(0);
    const counted = client.open({ ':path': '/', ':method': 'POST' });
    counted.write('x'.repeat(10_000));
    expect((await answerOf(counted)).status).toBe(413);
    expect((await client.ask('/')).status).toBe(200);
  });
});
