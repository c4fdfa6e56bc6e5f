import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HealthPages, type HealthPagesOptions } from '../../../src/server/health/index.js';
import { decodeHealthLine, type Health } from '../../../src/wire/index.js';
import { FakeSource, until } from './fake-source.js';

let source: FakeSource;
let pages: HealthPages;
let server: Server;
let isTrusted: boolean;

async function start(options?: Partial<HealthPagesOptions>): Promise<void> {
  source = new FakeSource();
  isTrusted = true;
  pages = new HealthPages(source, options);
  server = createServer((req, res) => {
    if (!pages.handle(req, res, isTrusted)) res.writeHead(418).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

beforeEach(() => start());

afterEach(async () => {
  pages.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function open(path: string, method = 'GET'): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', path, method, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return answer;
}

async function get(path: string, method?: string) {
  const answer = await open(path, method);
  let body = '';
  for await (const chunk of answer) body += chunk;
  return { status: answer.statusCode, headers: answer.headers, body };
}

describe('the pages', () => {
  it('say that it lives, whatever its state', async () => {
    for (const state of ['starting', 'ready', 'lame-duck', 'closed'] as const) {
      source.become(state);
      expect(await get('/plimsoll/live')).toMatchObject({ status: 200, body: `{"state":"${state}"}` });
    }
  });

  it('say whether it is ready, and how loaded', async () => {
    const ready = await get('/plimsoll/ready?verbose');
    expect(ready).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
    });
    expect(ready.headers['endpoint-load-metrics']).toBe('TEXT rps_fractional=20,named_metrics.rif=3');
    expect(decodeHealthLine(ready.body)).toEqual({ state: 'ready', report: source.report });
    for (const state of ['starting', 'closed'] as const) {
      source.become(state);
      const answer = await get('/plimsoll/ready');
      expect(answer.status).toBe(503);
      expect(decodeHealthLine(answer.body)?.state).toBe(state);
      expect(answer.headers).not.toHaveProperty('x-envoy-immediate-health-check-fail');
    }
    source.become('lame-duck');
    expect(await get('/plimsoll/ready')).toMatchObject({
      status: 503,
      headers: { 'x-envoy-immediate-health-check-fail': 'true', connection: 'close' },
    });
  });

  it('say nothing of a load that is not known', async () => {
    source.report = {};
    const answer = await get('/plimsoll/ready');
    expect(answer.headers).not.toHaveProperty('endpoint-load-metrics');
    expect(answer.body).toBe('{"state":"ready"}');
  });

  it('tell a stranger the status and no more', async () => {
    isTrusted = false;
    const answer = await get('/plimsoll/ready');
    expect(answer).toMatchObject({ status: 200, body: '{"state":"ready"}' });
    expect(answer.headers).not.toHaveProperty('endpoint-load-metrics');
    expect(await get('/plimsoll/watch')).toMatchObject({ status: 403 });
    expect(pages.watchers).toBe(0);
  });

  it('answer a HEAD without a body, and nothing that changes things', async () => {
    expect(await get('/plimsoll/ready', 'HEAD')).toMatchObject({ status: 200, body: '' });
    expect(await get('/plimsoll/watch', 'HEAD')).toMatchObject({ status: 200, body: '' });
    expect(await get('/plimsoll/ready', 'POST')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
  });

  it('leave other paths to others', async () => {
    for (const path of [
      '/',
      '/plimsoll',
      '/plimsoll/',
      '/plimsoll/readyx',
      '/plimsollready',
      '/a/plimsoll/ready',
      '/?/plimsoll/ready',
    ]) {
      expect((await get(path)).status).toBe(418);
    }
  });

  it('have the prefix that they are given', () => {
    for (const prefix of ['', 'health', '/health/', 7 as unknown as string]) {
      expect(() => new HealthPages(source, { prefix })).toThrow(/prefix/);
    }
    expect(() => new HealthPages(source, { heartbeatMs: 0 })).toThrow(/heartbeatMs/);
    expect(() => new HealthPages(source, { maxWatchers: -1 })).toThrow(/maxWatchers/);
  });
});

/** A watcher that keeps the lines which it reads. */
async function watch() {
  const answer = await open('/plimsoll/watch');
  const lines: (Health | undefined)[] = [];
  const ended = new Promise((resolve) => answer.once('close', resolve));
  createInterface({ input: answer }).on('line', (line) => lines.push(decodeHealthLine(line)));
  return { answer, lines, ended };
}

describe('a watch stream', () => {
  it('says at first how it is, and then what changes', async () => {
    const { answer, lines } = await watch();
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    await until(() => lines.length === 1);
    source.become('lame-duck');
    await until(() => lines.length === 2);
    expect(lines).toEqual([
      { state: 'ready', report: source.report },
      { state: 'lame-duck', report: source.report },
    ]);
  });

  it('says how it is from time to time', async () => {
    pages.close();
    server.close();
    await start({ heartbeatMs: 5 });
    const { lines } = await watch();
    await until(() => lines.length >= 3);
    source.report = { inFlight: 9 };
    await until(() => lines.at(-1)?.report.inFlight === 9);
  });

  it('ends with the pages', async () => {
    const first = await watch();
    const second = await watch();
    expect(pages.watchers).toBe(2);
    pages.close();
    await Promise.all([first.ended, second.ended]);
    expect(first.answer.complete).toBe(true);
    expect(pages.watchers).toBe(0);
  });

  it('is forgotten when its reader goes', async () => {
    const first = await watch();
    const second = await watch();
    first.answer.destroy();
    await until(() => pages.watchers === 1);
    second.answer.destroy();
    await until(() => pages.watchers === 0);
    const third = await watch();
    await until(() => third.lines.length === 1);
    source.become('lame-duck');
    await until(() => third.lines.length === 2);
  });

  it('is forgotten with its connection, also those behind it', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /plimsoll/watch HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(3));
    await until(() => pages.watchers === 3);
    socket.destroy();
    await until(() => pages.watchers === 0);
  });

  it('is refused when there are too many', async () => {
    pages.close();
    server.close();
    await start({ maxWatchers: 1 });
    await watch();
    expect(await get('/plimsoll/watch')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  it('is cut off when nobody reads it, and others are not', async () => {
    const slow = await open('/plimsoll/watch');
    slow.pause();
    const quick = await watch();
    let told = 0;
    while (pages.watchers === 2) {
      for (let i = 0; i < 100; i++) source.become(told++ % 2 === 0 ? 'lame-duck' : 'ready');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(pages.watchers).toBe(1);
    await until(() => quick.lines.length > told);
  });
});
