import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { GuardOptions, Handler } from '../../../src/server/index.js';
import { GuardedServer, PATIENT } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';
import type { RawAnswer, RawClient } from './raw-client.js';

/** What a server meets that is on the open net: it may refuse, close and wait; it must not break, nor remember. */

const REFUSE_ALL = 2;

expectNoMishaps();

let served: GuardedServer;
afterEach(async () => {
  served.level = 0;
  await served.until(() => served.guard.snapshot().inFlight === 0);
  expect(served.guard.snapshot()).toMatchObject({ waiting: 0, gate: { running: 0 } });
  const client = served.client();
  const overMs = performance.now();
  for (let status = 0; status !== 200; status = (await client.answer()).status) client.get('/after');
  // A queue that was long a moment ago counts for a while.
  expect(performance.now() - overMs).toBeLessThan(15_000);
  expect(served.errors).toEqual([]);
  await served.stop();
});

const hello: Handler = (req, res) => {
  req.resume();
  res.end('hello');
};

const start = async (options: Partial<GuardOptions> = {}, handler = hello) => {
  served = await GuardedServer.start(handler, options);
};

/** The next answer, or how the connection ended without one. */
const outcome = async (client: RawClient): Promise<number | 'closed'> =>
  client.answer().then(
    ({ status }: RawAnswer) => status,
    () => 'closed' as const,
  );

describe('clients that take their time', () => {
  test('with their headers are cut off, while others are served', async () => {
    await start({ limits: { headersTimeoutMs: 200 } });
    const slow = Array.from({ length: 50 }, () => served.client());
    const dribble = setInterval(() => {
      for (const [i, client] of slow.entries()) if (!client.isClosed) client.send(`x-${i}: y\r\n`);
    }, 20);
    for (const client of slow) client.send('GET / HTTP/1.1\r\nhost: x\r\n');
    const good = served.client();
    good.get('/');
    expect((await good.answer()).status).toBe(200);
    await Promise.all(slow.map((client) => client.closed()));
    clearInterval(dribble);
    for (const client of slow) expect(['closed', 408]).toContain(await outcome(client));
    expect(served.guard.snapshot().counts.CRITICAL.started).toBe(1);
  });

  test('with their bodies are cut off too, and give back their places', async () => {
    await start({ limits: { headersTimeoutMs: 200, requestTimeoutMs: 300 } }, async (req, res) => {
      for await (const _ of req);
      res.end();
    });
    const slow = Array.from({ length: 20 }, () => served.client());
    for (const client of slow) client.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nx');
    await served.until(() => served.guard.snapshot().inFlight === 20);
    await Promise.all(slow.map((client) => client.closed()));
    await served.until(() => served.guard.snapshot().inFlight === 0);
    // That their bodies broke off is an error of theirs which their handlers saw.
    served.errors.length = 0;
  });

  test('and never say anything are cut off as well', async () => {
    await start({ limits: { headersTimeoutMs: 200 } });
    const silent = Array.from({ length: 50 }, () => served.client());
    await served.until(() => served.guard.snapshot().connections === 50);
    await Promise.all(silent.map((client) => client.closed()));
    expect(served.guard.snapshot().connections).toBe(0);
  });

  test('or stop sending when they have asked are forgotten', async () => {
    await start(PATIENT, (req, res) => {
      if (req.url === '/after') res.end();
    });
    for (let i = 0; i < 20; i++) {
      const client = served.client();
      client.get(`/${i}`);
      client.socket.end();
    }
    await served.until(() => {
      const { left, refused } = served.guard.snapshot().counts.CRITICAL;
      return left + refused === 20;
    });
    await served.until(() => served.guard.snapshot().connections === 0);
  });
});

describe('headers', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `x-${i}: y`);

  test.each([
    // Newer Nodes refuse what older ones leave out.
    ['more than are looked at', many(400), [200, 431]],
    ['more than fit', many(5_000), [431]],
    ['one that is too long', [`x-long: ${'y'.repeat(100_000)}`], [431]],
    ['a name that is none', ['x y: z'], [400]],
    ['a value that breaks the line', ['x: y\rz: 1'], [400]],
    ['lengths that contradict each other', ['content-length: 1', 'content-length: 2'], [400]],
    ['a length and chunks', ['content-length: 5', 'transfer-encoding: chunked'], [400]],
  ])('%s', async (_, headers, statuses) => {
    await start();
    for (const level of [0, REFUSE_ALL]) {
      served.level = level;
      const client = served.client();
      client.get('/', ...headers);
      const expected = level === 0 ? statuses : statuses.map((status) => (status === 200 ? 503 : status));
      expect(expected).toContain(await outcome(client));
    }
  });

  test('floods of them, from many at once', async () => {
    await start();
    const flood = `GET / HTTP/1.1\r\nhost: x\r\n${many(3_000).join('\r\n')}\r\n\r\n`;
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const client = served.client();
        client.send(flood);
        return outcome(client);
      }),
    );
    for (const each of outcomes) expect([431, 'closed']).toContain(each);
  });
});

describe('bytes that are no requests', () => {
  test.each([
    ['noise', Buffer.concat([randomBytes(5_000), Buffer.from('\r\n\r\n')])],
    ['zeros', Buffer.alloc(5_000)],
    ['the hello of TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['a request without a host', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['an expectation that nobody has', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\nexpect: magic\r\n\r\n')],
    ['a tunnel', Buffer.from('CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n')],
    ['HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['an answer', Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')],
    [
      'a request and then noise',
      Buffer.concat([Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'), Buffer.alloc(99, 7)]),
    ],
    [
      'a chunk that is none',
      Buffer.from('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    ],
  ])('%s', async (_, bytes) => {
    await start();
    for (const level of [0, REFUSE_ALL]) {
      served.level = level;
      const client = served.client();
      client.socket.write(bytes);
      client.socket.end();
      await client.closed();
    }
    await served.until(() => served.guard.snapshot().connections === 0);
  });
});

describe('floods', () => {
  for (const earlyRefusal of ['auto', 'off'] as const) {
    test(`of pipelined requests, half of them broken off, earlyRefusal: ${earlyRefusal}`, async () => {
      await start({ earlyRefusal });
      const requests =
        'GET /flood HTTP/1.1\r\nhost: x\r\n\r\nPOST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi';
      const flip = setInterval(() => {
        served.level = served.level === 0 ? REFUSE_ALL : 0;
      }, 3);
      const floods = Array.from({ length: 20 }, async (_, i) => {
        const client = served.client();
        for (let sent = 0; sent < 50; sent++) {
          client.send(requests.repeat(5));
          await turn();
          if (i % 2 === 0 && sent === 10 + i) client.socket.resetAndDestroy();
        }
        if (i % 2 === 0) return;
        for (let answered = 0; answered < 500; answered++)
          expect([200, 503]).toContain((await client.answer()).status);
      });
      await Promise.all(floods);
      clearInterval(flip);
    });

    test(`of aborts while 500 wait, earlyRefusal: ${earlyRefusal}`, async () => {
      const calls: string[] = [];
      const finish: (() => void)[] = [];
      await start({ ...PATIENT, earlyRefusal }, (req, res) => {
        calls.push(req.url!);
        if (req.url === '/first') finish.push(() => res.end());
        else res.end();
      });
      served.client().get('/first');
      await served.until(() => calls.length === 1);
      const sockets = Array.from({ length: 500 }, () => connect(served.port, '127.0.0.1'));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      for (const socket of sockets)
        socket.write('POST /waits HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhi');
      // Some are refused, when nothing moves for so long.
      await served.until(() => {
        const { waiting, counts } = served.guard.snapshot();
        return waiting + counts.CRITICAL.refused === 500;
      });
      expect(served.guard.snapshot().waiting).toBeGreaterThan(50);
      for (const [i, socket] of sockets.entries()) {
        socket.on('error', () => {});
        if (i % 2 === 0) socket.destroy();
        else socket.resetAndDestroy();
      }
      await served.until(() => served.guard.snapshot().waiting === 0);
      expect(served.guard.snapshot()).toMatchObject({ inFlight: 1, connections: 1 });
      for (const each of finish) each();
      await served.until(() => served.guard.snapshot().inFlight === 0);
      expect(calls).toEqual(['/first']);
    });
  }
});
