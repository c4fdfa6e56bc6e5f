import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type Dispatcher, interceptors, request, fetch as undiciFetch } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../tidy/sources.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { answerOf, pathOf, RawFleet, textOf } from './raw-fleet.js';
import { until } from './until.js';

expectNoMishaps();

function aFleet(): RawFleet {
  const fleet = new RawFleet();
  onTestFinished(() => fleet.stop());
  return fleet;
}

/** Says what came, as it came. */
const echo = (text: string) => answerOf(text, 'X-Twice: 1', 'x-twice: \xe4');

describe('a request', () => {
  it.each([
    ['text', 'grün'],
    ['bytes', Buffer.from('grün')],
    ['an array of bytes', new Uint8Array(Buffer.from('grün'))],
  ])('has a body that is %s, and its length', async (_what, body) => {
    const { backend, client } = await aFleet().answering(echo);
    for (let i = 0; i < 3; i++) {
      const { body: answer } = await client.request('/', { method: 'POST', body });
      const [head, sent] = Buffer.from(await answer.arrayBuffer())
        .toString('latin1')
        .split('\r\n\r\n');
      expect(head).toMatch(/^POST \/ HTTP\/1\.1\r\n/);
      expect(head).toContain('content-length: 5');
      expect(Buffer.from(sent!, 'latin1').toString()).toBe('grün');
    }
    expect(backend.connections).toHaveLength(1);
  });

  it('of megabytes arrives as it was sent', async () => {
    const { client } = await aFleet().answering((text) => answerOf(String(text.length)));
    const { body } = await client.request('/', { method: 'PUT', body: Buffer.alloc(5_000_000, 'x') });
    expect(Number(await body.text())).toBeGreaterThan(5_000_000);
  });

  it('by GET with a body is the last on its connection: some servers take that for another request', async () => {
    const { backend, client } = await aFleet().answering(echo);
    const smuggled = 'GET /admin HTTP/1.1\r\n\r\n';
    for (const method of ['GET', 'DELETE'] as const) {
      const { body } = await client.request('/', { method, body: smuggled });
      expect(await body.text()).toContain(`\r\n\r\n${smuggled}`);
      await textOf(client, '/next');
    }
    for (const { bytes } of backend.connections)
      if (bytes.includes(smuggled)) expect(bytes.endsWith(smuggled)).toBe(true);
  });

  it.each([
    ['a value', { headers: { x: 'a\r\ny: b' } }],
    ['a value with LF', { headers: { x: 'a\ny: b' } }],
    ['a value with NUL', { headers: { x: 'a\0' } }],
    ['a value that becomes a line when it is cut to bytes', { headers: { x: 'a\u010d\u010ay: b' } }],
    ['a name', { headers: { 'x\r\ny': 'a' } }],
    ['an empty name', { headers: { '': 'a' } }],
    ['a host', { headers: { host: 'a\r\ny: b' } }],
    ['a path', { path: '/ HTTP/1.1\r\nx: y\r\n\r\n' }],
    ['a path that becomes another when it is cut to bytes', { path: '/\u0120HTTP/1.1\u010d\u010a' }],
    ['a method', { method: 'GET / HTTP/1.1\r\n\r\nGET' }],
    ['a length', { method: 'POST', body: 'hello', headers: { 'content-length': '3' } }],
    ['a coding', { method: 'POST', body: 'hello', headers: { 'transfer-encoding': 'chunked' } }],
  ])('with lines in %s is refused, and nothing of it is sent', async (_what, options) => {
    const { backend, client } = await aFleet().answering(() => answerOf('ok'));
    await textOf(client, '/');
    const { path = '/', ...rest } = options as { path?: string };
    await expect(client.request(path, rest)).rejects.toMatchObject({
      code: expect.stringMatching(/^UND_ERR_/),
    });
    expect(await textOf(client, '/')).toBe('ok');
    expect(backend.bytes.match(/HTTP\/1\.1/g)).toHaveLength(2);
  });

  it('that is given up leaves the others alone: before, while and after', async () => {
    const { client } = await aFleet().answering((text) => {
      if (pathOf(text) === '/never') return undefined;
      return pathOf(text) === '/half' ? answerOf('hello').slice(0, -2) : answerOf('ok');
    });
    const others = Array.from({ length: 20 }, () => textOf(client, '/'));
    const given = (path: string, signal: AbortSignal) => client.request(path, { signal });
    await expect(given('/', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    const waiting = new AbortController();
    const waited = expect(given('/never', waiting.signal)).rejects.toMatchObject({ name: 'AbortError' });
    // Once in the same turn, and once when it is under way.
    const early = new AbortController();
    const never = expect(given('/never', early.signal)).rejects.toMatchObject({ name: 'AbortError' });
    early.abort();
    await until('it is sent', () => client.snapshot().active > 0);
    await turn();
    waiting.abort();
    const half = new AbortController();
    const { body } = await given('/half', half.signal);
    half.abort();
    await expect(body.text()).rejects.toMatchObject({ name: 'AbortError' });
    const late = new AbortController();
    expect(await (await given('/', late.signal)).body.text()).toBe('ok');
    late.abort();
    await Promise.all([waited, never]);
    expect(new Set(await Promise.all(others))).toEqual(new Set(['ok']));
    expect(await textOf(client, '/')).toBe('ok');
    await until('nothing is left', () => client.snapshot().active === 0);
  });

  it('waits for headers, and for the rest, for as long as was said', async () => {
    const { client } = await aFleet().answering(
      (text) => (pathOf(text) === '/never' ? undefined : answerOf('hello').slice(0, -2)),
      { connections: { headersTimeoutMs: 200, bodyTimeoutMs: 100 } },
    );
    await expect(textOf(client, '/never')).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
    await expect(textOf(client, '/half')).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
    await until('nothing is left', () => client.snapshot().active === 0);
  });

  it('fails when its connection does, each of many once', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const client = aFleet().client({
      backends: [`http://127.0.0.1:${port}`],
      health: false,
      throttle: false,
      retry: false,
      waiting: { maxWaitMs: 2_000 },
    });
    const ends = await Promise.allSettled(Array.from({ length: 50 }, () => textOf(client, '/')));
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
    await until('nothing is left', () => client.snapshot().active === 0);
  });
});

describe('handlers', () => {
  const asked = { origin: 'http://orders', path: '/', method: 'GET' } as const;

  it('of the first form hear of bytes, as from undici', async () => {
    const { client } = await aFleet().answering(
      () =>
        'HTTP/1.1 103 Hints\r\nX-H: \xe4\r\n\r\nHTTP/1.1 200 OK\r\nX-A: \xff\r\ntransfer-encoding: chunked\r\n\r\n' +
        '2\r\nok\r\n0\r\nX-T: 1\r\n\r\n',
    );
    const told: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      client.dispatcher.dispatch(asked, {
        onConnect: () => void told.push('connect'),
        onHeaders: (status: number, headers: Buffer[], _resume: () => void, text: string) =>
          told.push(status, headers, text) > 0,
        onData: (chunk: Buffer) => told.push(chunk) > 0,
        onComplete: (trailers: Buffer[]) => resolve(void told.push(trailers)),
        onError: reject,
      } as unknown as Dispatcher.DispatchHandler);
    });
    const bytes = (...texts: string[]) => texts.map((text) => Buffer.from(text, 'latin1'));
    expect(told).toEqual([
      'connect',
      103,
      bytes('X-H', '\xe4'),
      'Hints',
      200,
      bytes('X-A', '\xff', 'transfer-encoding', 'chunked'),
      'OK',
      Buffer.from('ok'),
      bytes('X-T', '1'),
    ]);
  });

  it('of the second form have both, a record and bytes', async () => {
    const { client } = await aFleet().answering(() => echo(''));
    const told = await new Promise<unknown[]>((resolve, reject) => {
      client.dispatcher.dispatch(asked, {
        onRequestStart: () => {},
        onResponseStart: ({ rawHeaders }: { rawHeaders: Buffer[] }, status: number, headers: object) =>
          resolve([status, headers, rawHeaders]),
        onResponseError: (_controller: unknown, error: Error) => reject(error),
      } as unknown as Dispatcher.DispatchHandler);
    });
    expect(told[1]).toEqual({ 'content-length': '0', 'x-twice': ['1', '\xe4'] });
    expect(told[2]).toEqual(
      ['content-length', '0', 'X-Twice', '1', 'x-twice', '\xe4'].map((text) => Buffer.from(text, 'latin1')),
    );
  });

  it('of undici and of interceptors understand answers', async () => {
    const { client } = await aFleet().answering(() => echo('ok'));
    const { dispatcher } = client;
    const fetched = await undiciFetch('http://orders/', { dispatcher });
    expect([fetched.headers.get('x-twice'), await fetched.text()]).toEqual(['1, \xe4', 'ok']);
    const composed = dispatcher.compose(interceptors.dump({ maxSize: 100 }), interceptors.responseError());
    const { headers } = await request('http://orders/', { dispatcher: composed });
    expect(headers['x-twice']).toEqual(['1', '\xe4']);
  });

  it.each(['onHeaders', 'onData', 'onBodySent', 'onRequestSent', 'onResponseStarted'])(
    'that throw in %s hear of it, and nobody else does',
    async (method) => {
      const { client } = await aFleet().answering(() => answerOf('ok'));
      await textOf(client, '/');
      const handler = {
        onConnect: () => {},
        onHeaders: () => true,
        onData: () => true,
        onComplete: () => {},
      };
      const ended = new Promise<Error>((resolve) => {
        const options = { ...asked, method: 'POST', body: 'x' } as const;
        client.dispatcher.dispatch(options, {
          ...handler,
          [method]: () => {
            throw new TypeError('mine');
          },
          onError: resolve,
        } as unknown as Dispatcher.DispatchHandler);
      });
      const others = Array.from({ length: 10 }, () => textOf(client, '/'));
      expect(await ended).toEqual(new TypeError('mine'));
      expect(new Set(await Promise.all(others))).toEqual(new Set(['ok']));
      await client.close();
    },
  );
});

describe('the end', () => {
  it('by close waits for what runs, and for what was asked for in the same turn', async () => {
    const held: (() => void)[] = [];
    const { backend, client } = await aFleet().answering((text, socket) => {
      if (pathOf(text) === '/') return answerOf('ok');
      held.push(() => socket.write(answerOf(pathOf(text))));
      return undefined;
    });
    await textOf(client, '/');
    const running = ['/a', '/b', '/c'].map((path) => textOf(client, path));
    let isClosed = false;
    const closed = client.close().then(() => {
      isClosed = true;
    });
    await until('all were sent', () => held.length === 3);
    expect(isClosed).toBe(false);
    for (const answer of held) answer();
    expect(await Promise.all(running)).toEqual(['/a', '/b', '/c']);
    await closed;
    await until('none is open', () => backend.connections.every(({ socket }) => socket.destroyed));
  });

  it('by destroy is the end of all, sent or not', async () => {
    const { backend, client } = await aFleet().answering((text) =>
      pathOf(text) === '/' ? answerOf('ok') : undefined,
    );
    await textOf(client, '/');
    const running = Array.from({ length: 5 }, () => textOf(client, '/never'));
    await until('they run', () => backend.bytes.split('/never').length === 6);
    const late = Array.from({ length: 5 }, () => textOf(client, '/never'));
    const ends = Promise.allSettled([...running, ...late]);
    await client.destroy();
    expect((await ends).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'rejected'));
    await until('none is open', () => backend.connections.every(({ socket }) => socket.destroyed));
  });

  it('of a process is not kept off by connections that nobody uses', async () => {
    const { backend } = await aFleet().answering(() => answerOf('ok', 'Keep-Alive: timeout=60'));
    const program = `
      import { createClient } from 'plimsoll/client';
      const client = createClient({ backends: ['http://127.0.0.1:${backend.port}'], health: false });
      const texts = await Promise.all([1, 2, 3].map(async () => (await client.fetch('/')).text()));
      console.info(texts.join());`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    const [code] = await once(child, 'close');
    expect([code, output.trim()]).toEqual([0, 'ok,ok,ok']);
  });
});
