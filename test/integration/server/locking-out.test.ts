import { afterEach, describe, expect, test } from 'vitest';
import { createGuard } from '../../../src/server/index.js';
import { GuardedServer } from './guarded-server.js';

/** More than may run at once before anything was learned. */
const MANY = 60;

describe('nobody locks the others out', () => {
  let served: GuardedServer;
  afterEach(() => served.stop());

  async function expectServed(): Promise<void> {
    for (;;) {
      const client = served.client();
      client.get('/quick');
      const { status } = await client.answer();
      if (status === 200) return;
      expect(status).toBe(503);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const quick = (url: string | undefined) => url === '/quick';

  test('by bodies that do not come', async () => {
    served = await GuardedServer.start((req, res) => {
      if (quick(req.url)) res.end();
      else req.on('end', () => res.end()).resume();
    });
    for (let i = 0; i < MANY; i++) {
      served.client().send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n');
    }
    await expectServed();
  });

  test('by streams', async () => {
    served = await GuardedServer.start((req, res) => {
      if (quick(req.url)) res.end();
      else res.write('data: 1\n\n');
    });
    for (let i = 0; i < MANY; i++) served.client().get('/stream');
    await expectServed();
  });

  test('by answers that nobody reads', async () => {
    served = await GuardedServer.start((req, res) => {
      if (quick(req.url)) res.end();
      else res.write(Buffer.alloc(20_000_000));
    });
    for (let i = 0; i < MANY; i++) {
      const client = served.client();
      client.socket.pause();
      client.get('/large');
    }
    await expectServed();
  });

  test('who waits behind handlers that hang is told within its bounds', async () => {
    served = await GuardedServer.start(() => new Promise(() => {}), { concurrency: 1, timeoutMs: 5_000 });
    const clients = Array.from({ length: 20 }, () => served.client());
    for (const client of clients) client.get('/hangs');
    await served.until(() => {
      const { waiting, gate } = served.guard.snapshot();
      return waiting === 0 && gate.running === 1;
    });
  });

  test('in dry-run nobody waits for a place, and off frees who waits', async () => {
    served = await GuardedServer.start(
      (req, res) => {
        if (quick(req.url)) res.end();
      },
      { concurrency: 1, mode: 'dry-run' },
    );
    served.client().get('/hangs');
    served.client().get('/hangs');
    await expectServed();
    served.guard.mode = 'enforce';
    const waiting = served.client();
    waiting.get('/quick');
    served.guard.mode = 'off';
    expect([200, 503]).toContain((await waiting.answer()).status);
  });

  test('what is sent behind a request that is refused with connection: close is not run', async () => {
    const seen: string[] = [];
    served = await GuardedServer.start((req, res) => {
      seen.push(req.url!);
      res.end();
    });
    served.level = 2;
    const client = served.client();
    client.send('POST /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    expect((await client.answer()).headers['connection']).toBe('close');
    served.level = 0;
    client.send('0\r\n\r\nPOST /transfer HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
    await client.closed();
    expect(seen).toEqual([]);
  });

  test('a handler that answers after the guard has is not heard, and harms nobody', async () => {
    served = await GuardedServer.start(
      (req, res) => {
        req.on('data', () => {});
        req.on('error', () => {
          res.writeHead(400);
          res.end('mine');
        });
      },
      { limits: { maxBodyBytes: 10 } },
    );
    const client = served.client();
    client.send(
      'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n14\r\n01234567890123456789\r\n',
    );
    expect((await client.answer()).status).toBe(413);
    await client.closed();
    expect(served.guard.snapshot().inFlight).toBe(0);
  });

  test('a server has one guard', async () => {
    served = await GuardedServer.start((_req, res) => res.end());
    expect(() => createGuard().attach(served.server)).toThrow(/has a guard already/);
  });

  test('a listener for checkContinue that comes later is the only one', async () => {
    served = await GuardedServer.start((_req, res) => res.end());
    served.server.on('checkContinue', (_req, res) => {
      res.writeHead(200, { 'x-own': '1' });
      res.end();
    });
    const client = served.client();
    client.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\nexpect: 100-continue\r\n\r\n');
    expect(await client.answer()).toMatchObject({ status: 200, headers: { 'x-own': '1' } });
  });
});
