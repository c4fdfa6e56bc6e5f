import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { GuardedServer } from './guarded-server.js';

const REFUSE_ALL = 2;

for (const earlyRefusal of ['auto', 'off'] as const) {
  describe(`refusing, earlyRefusal: ${earlyRefusal}`, () => {
    let served: GuardedServer;
    const seen: string[] = [];
    afterEach(() => served.stop());

    const start = async (level: number) => {
      seen.length = 0;
      served = await GuardedServer.start(
        (req, res) => {
          seen.push(`${req.method} ${req.url}`);
          let length = 0;
          req.on('data', (chunk: Buffer) => {
            length += chunk.length;
          });
          req.on('end', () => res.end(`got ${length}`));
        },
        { earlyRefusal },
      );
      served.level = level;
      return served.client();
    };

    test('a refused request is answered as overloaded, and its connection goes on', async () => {
      const client = await start(REFUSE_ALL);
      client.get('/a');
      const refused = await client.answer();
      expect(refused.status).toBe(503);
      expect(refused.headers).toMatchObject({ 'x-envoy-overloaded': 'true', 'retry-after': '1' });
      expect(refused.headers['endpoint-load-metrics']).toMatch(/^TEXT .*application_utilization=/);
      expect(refused.headers['date']).toBeDefined();
      served.level = 0;
      client.get('/b');
      expect(await client.answer()).toMatchObject({ status: 200, body: 'got 0' });
      expect(seen).toEqual(['GET /b']);
    });

    test('HEAD is refused without a body', async () => {
      const client = await start(REFUSE_ALL);
      client.send('HEAD / HTTP/1.1\r\nhost: x\r\n\r\n');
      expect((await client.answer(true)).status).toBe(503);
      served.level = 0;
      client.get('/b');
      expect(await client.answer()).toMatchObject({ status: 200, body: 'got 0' });
    });

    test('pipelined requests are answered in their order, refused ones too', async () => {
      const client = await start(0);
      client.send(
        'GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\nGET /3 HTTP/1.1\r\nhost: x\r\n\r\n',
      );
      for (let i = 0; i < 3; i++) expect((await client.answer()).status).toBe(200);
      served.level = REFUSE_ALL;
      client.send('GET /4 HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(5));
      for (let i = 0; i < 5; i++) expect((await client.answer()).status).toBe(503);
      served.level = 0;
      client.get('/5');
      expect((await client.answer()).status).toBe(200);
    });

    test('one that is refused behind one that is being served waits for its turn', async () => {
      let finish: () => void = () => {};
      served = await GuardedServer.start(
        (_req, res) => {
          finish = () => res.end('slow');
        },
        { earlyRefusal },
      );
      const client = served.client();
      client.get('/slow');
      await served.until(() => served.guard.snapshot().inFlight === 1);
      served.level = REFUSE_ALL;
      client.get('/refused');
      client.get('/refused');
      // Something that shows that the refusals have been decided, on another connection.
      const other = served.client();
      other.get('/');
      expect((await other.answer()).status).toBe(503);
      await served.until(() => served.guard.snapshot().counts.CRITICAL.refused === 3);
      finish();
      expect(await client.answer()).toMatchObject({ status: 200, body: 'slow' });
      expect((await client.answer()).status).toBe(503);
      expect((await client.answer()).status).toBe(503);
    });

    test('a small body that nobody reads does not disturb what follows', async () => {
      const client = await start(REFUSE_ALL);
      client.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n');
      expect((await client.answer()).status).toBe(503);
      client.send('GET /');
      served.level = 0;
      client.get('/after');
      expect(await client.answer()).toMatchObject({ status: 200 });
      expect(seen).toEqual(['GET /after']);
    });

    test('a long body is not waited for: the connection closes after the answer', async () => {
      const client = await start(REFUSE_ALL);
      client.send(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n${'x'.repeat(10_000)}`);
      const refused = await client.answer();
      expect(refused).toMatchObject({ status: 503 });
      expect(refused.headers['connection']).toBe('close');
      await client.closed();
    });

    test('a chunked body is not waited for either', async () => {
      const client = await start(REFUSE_ALL);
      client.send('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n');
      expect((await client.answer()).headers['connection']).toBe('close');
      await client.closed();
    });

    test('who waits for 100 Continue gets the refusal instead, or is told to go on', async () => {
      const client = await start(REFUSE_ALL);
      const ask = 'POST /c HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\nexpect: 100-continue\r\n\r\n';
      client.send(ask);
      expect(await client.answer()).toMatchObject({ status: 503, headers: { connection: 'close' } });
      served.level = 0;
      const second = served.client();
      second.send(ask);
      expect((await second.answer()).status).toBe(100);
      second.send('hello');
      expect(await second.answer()).toMatchObject({ status: 200, body: 'got 5' });
    });

    test('HTTP/1.0 and connection: close are refused, and closed', async () => {
      const client = await start(REFUSE_ALL);
      client.send('GET / HTTP/1.0\r\n\r\n');
      expect((await client.answer()).status).toBe(503);
      await client.closed();
      const second = served.client();
      second.get('/', 'connection: close');
      expect((await second.answer()).status).toBe(503);
      await second.closed();
    });

    test('upgrades are refused or passed on', async () => {
      const client = await start(REFUSE_ALL);
      served.server.on('upgrade', (_req, socket) => {
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\ncontent-length: 0\r\n\r\n',
        );
        socket.end();
      });
      client.get('/', 'connection: upgrade', 'upgrade: x');
      expect((await client.answer()).status).toBe(503);
      await client.closed();
      served.level = 0;
      const second = served.client();
      second.get('/', 'connection: upgrade', 'upgrade: x');
      expect((await second.answer()).status).toBe(101);
      expect(served.guard.snapshot().inFlight).toBe(0);
    });

    test('a client that sends and never reads is slowed down, not buffered for', async () => {
      const client = await start(REFUSE_ALL);
      client.socket.pause();
      const request = 'GET /flood HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1_000);
      let isFull = false;
      for (let i = 0; i < 2_000 && !isFull; i++) {
        isFull = !client.socket.write(request) && client.socket.writableLength > 4_000_000;
        if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await served.until(() => served.guard.snapshot().refusedEarly > 0 || earlyRefusal === 'off');
      for (const { writableLength } of served.sockets) expect(writableLength).toBeLessThan(1_000_000);
    });

    test('a storm of aborted requests leaves nothing behind', async () => {
      (await start(0)).close();
      await Promise.all(
        Array.from({ length: 200 }, async (_, i) => {
          const socket = connect(served.port, '127.0.0.1');
          socket.on('error', () => {});
          await new Promise((resolve) => socket.once('connect', resolve));
          socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n');
          if (i % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
          socket.destroy();
        }),
      );
      await served.until(() => served.guard.snapshot().connections === 0);
      expect(served.guard.snapshot()).toMatchObject({ inFlight: 0, gate: { running: 0 } });
      const client = served.client();
      client.get('/after');
      expect((await client.answer()).status).toBe(200);
    });
  });
}
