import { createServer, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { GuardOptions, Handler } from '../../../src/server/index.js';
import { GuardedServer, PATIENT } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';

expectNoMishaps();

/** A deadline that has passed: refused, whatever the load is. */
const TOO_LATE = 'x-envoy-expected-rq-timeout-ms: 0';

let served: GuardedServer;
afterEach(async () => {
  await served.until(() => served.guard.snapshot().inFlight === 0);
  expect(served.guard.snapshot().gate.running).toBe(0);
  await served.stop();
});

/** Handlers that answer when they are told to, by path. */
async function start(options: Partial<GuardOptions> = {}) {
  const finish = new Map<string, () => void>();
  const handler: Handler = (req, res) => {
    finish.set(req.url!, () => res.end(`done ${req.url}`));
  };
  served = await GuardedServer.start(handler, options);
  const ran = (...paths: string[]) => served.until(() => paths.every((path) => finish.has(path)));
  return { client: served.client(), finish, ran };
}

const get = (path: string, ...headers: string[]) =>
  `GET ${path} HTTP/1.1\r\n${['host: test', ...headers].join('\r\n')}\r\n\r\n`;

describe.each(['auto', 'off'] as const)('requests sent without waiting, earlyRefusal: %s', (earlyRefusal) => {
  test.each([
    'GET / HTTP/1.1\r\nhost: test\r\nconnection: upgrade\r\nupgrade: x',
    'CONNECT a:1 HTTP/1.1\r\nhost: a',
  ])(
    'behind one that runs, another protocol gets nothing that could be taken for its answer: %s',
    async (head) => {
      const { client, finish, ran } = await start({ earlyRefusal });
      let handshakes = 0;
      for (const event of ['upgrade', 'connect']) served.server.on(event, () => handshakes++);
      client.send(`${get('/pay')}${head}\r\n${TOO_LATE}\r\n\r\n`);
      await ran('/pay');
      finish.get('/pay')!();
      expect(await client.answer()).toMatchObject({ status: 200, body: 'done /pay' });
      await served.until(() => client.isClosed);
      expect(handshakes).toBe(0);
    },
  );

  test('what follows an answer that says close costs nobody theirs', async () => {
    const { client, finish, ran } = await start({ earlyRefusal });
    const refused = get('/b', 'transfer-encoding: chunked', TOO_LATE);
    client.send(`${get('/a')}${refused}1\r\nx\r\n0\r\n\r\n`);
    await ran('/a');
    client.send('POST /c HTTP/1.1\r\nhost: test\r\ncontent-length: 5\r\n\r\nhello');
    finish.get('/a')!();
    expect(await client.answer()).toMatchObject({ status: 200, body: 'done /a' });
    expect(await client.answer()).toMatchObject({ status: 504 });
  });

  test('a lame duck closes after the last of them, not after the first', async () => {
    const { client, finish, ran } = await start({ earlyRefusal });
    client.send(get('/a') + get('/b') + get('/c'));
    await ran('/a', '/b', '/c');
    served.guard.lameDuck();
    for (const path of ['/c', '/a', '/b']) finish.get(path)!();
    const answers = [await client.answer(), await client.answer(), await client.answer()];
    expect(answers.map(({ body }) => body)).toEqual(['done /a', 'done /b', 'done /c']);
    await served.until(() => client.isClosed);
  });

  test('a drain answers those that wait too', async () => {
    const { client, finish, ran } = await start({ ...PATIENT, earlyRefusal });
    client.send(get('/a') + get('/b'));
    await ran('/a');
    const drained = served.guard.drain({ spreadMs: 0, timeoutMs: 10_000 });
    finish.get('/a')!();
    await ran('/b');
    finish.get('/b')!();
    expect([(await client.answer()).body, (await client.answer()).body]).toEqual(['done /a', 'done /b']);
    await drained;
  });

  test('a body that is too long, behind one that runs, is answered in its turn and harms nobody', async () => {
    const { client, finish, ran } = await start({ earlyRefusal, limits: { maxBodyBytes: 10 } });
    client.send(`${get('/a')}POST /b HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n`);
    await ran('/a', '/b');
    client.send('14\r\n01234567890123456789\r\n');
    await served.until(() => served.guard.snapshot().inFlight === 1);
    // What a handler does that has read half a body, and does not know that all is said.
    finish.get('/b')!();
    finish.get('/a')!();
    expect(await client.answer()).toMatchObject({ status: 200, body: 'done /a' });
    expect(await client.answer()).toMatchObject({ status: 413 });
  });

  test('an upgrade behind an answer that said close is not processed', async () => {
    const { client } = await start({ earlyRefusal });
    let handshakes = 0;
    served.server.on('upgrade', (_req, socket) => {
      handshakes++;
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
    const refused = get('/', 'expect: 100-continue', 'content-length: 4', TOO_LATE);
    client.send(`${refused}body${get('/', 'connection: upgrade', 'upgrade: x')}`);
    expect(await client.answer()).toMatchObject({ status: 504 });
    await served.until(() => client.isClosed);
    expect(handshakes).toBe(0);
  });
});

test('one that was ended behind our back is noticed with the next', async () => {
  served = await GuardedServer.start((_req, res) => {
    ServerResponse.prototype.end.call(res, 'bye', 'utf8');
  });
  const client = served.client();
  for (let i = 0; i < 3; i++) {
    client.get();
    expect(await client.answer()).toMatchObject({ body: 'bye' });
  }
  expect(served.guard.snapshot().inFlight).toBeLessThanOrEqual(1);
  client.close();
});

test('one that is passed on to another server of the same guard is let in once', async () => {
  served = await GuardedServer.startServer((guard) => {
    const inner = createServer((_req, res) => res.end('from within'));
    guard.attach(inner);
    const outer = createServer((req, res) => inner.emit('request', req, res));
    guard.attach(outer);
    return outer;
  });
  const client = served.client();
  client.get();
  expect(await client.answer()).toMatchObject({ status: 200, body: 'from within' });
  expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ started: 1, ended: 1 });
});
