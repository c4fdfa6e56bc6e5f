import { afterEach, describe, expect, test } from 'vitest';
import { RejectedError } from '../../../src/core/index.js';
import { currentRequest, type GuardOptions, type Handler } from '../../../src/server/index.js';
import { GuardedServer, PATIENT } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';

const REFUSE_ALL = 2;
/** Of CRITICAL requests all are degraded and none is refused. */
const DEGRADE = 1;

const hello: Handler = (_req, res) => res.end('hello');

expectNoMishaps();

let served: GuardedServer;
afterEach(async () => {
  await served.until(() => served.guard.snapshot().inFlight === 0);
  expect(served.guard.snapshot().gate.running).toBe(0);
  await served.stop();
});

const start = async (handler: Handler, options: Partial<GuardOptions> = {}, degraded?: Handler) => {
  served = await GuardedServer.start(handler, options, degraded);
  return served.client();
};

const REJECTED = new RejectedError('PLIMSOLL_THROTTLED', 'too much', { retry: 'later' });

describe('a handler that fails', () => {
  const failing = (fail: Handler) =>
    start((req, res) => (req.url === '/fine' ? res.end('fine') : fail(req, res)));

  /** The failure has cost its request and nothing else. */
  const expectServedOn = async (client: Awaited<ReturnType<typeof start>>) => {
    client.get('/fine');
    expect(await client.answer()).toMatchObject({ status: 200, body: 'fine' });
    expect(served.guard.snapshot().handlerErrors).toBe(1);
  };

  test('at once is answered with 500 and without the headers it had set', async () => {
    const client = await failing((_req, res) => {
      res.setHeader('content-encoding', 'gzip');
      res.setHeader('cache-control', 'max-age=60');
      throw new Error('thrown');
    });
    client.get('/');
    const { status, headers, body } = await client.answer();
    expect({ status, body }).toEqual({ status: 500, body: '' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('cache-control');
    expect(headers['endpoint-load-metrics']).toBeDefined();
    expect(served.errors).toEqual([new Error('thrown')]);
    await expectServedOn(client);
    expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ ended: 2, failed: 1 });
  });

  test('later is answered too', async () => {
    const client = await failing(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw new Error('rejected');
    });
    client.get('/');
    expect(await client.answer()).toMatchObject({ status: 500, body: '' });
    expect(served.errors).toEqual([new Error('rejected')]);
    await expectServedOn(client);
  });

  test('in the middle of its answer takes the connection with it', async () => {
    const client = await failing(async (_req, res) => {
      res.writeHead(200, { 'content-length': 100 });
      res.write('half');
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw new Error('half way');
    });
    client.get('/');
    await expect(client.answer()).rejects.toThrow('half');
    expect(served.errors).toEqual([new Error('half way')]);
    await expectServedOn(served.client());
  });

  test('after its answer is reported, and that is all', async () => {
    const client = await failing(async (_req, res) => {
      res.end('done');
      throw new Error('afterwards');
    });
    client.get('/');
    expect(await client.answer()).toMatchObject({ status: 200, body: 'done' });
    expect(served.errors).toEqual([new Error('afterwards')]);
    await expectServedOn(client);
  });

  test.each([
    ['at once', () => Promise.reject(REJECTED)],
    [
      'later',
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        throw REJECTED;
      },
    ],
  ])('because a service that it called is overloaded, %s, says not to retry', async (_, fail) => {
    const client = await failing((_req, res) => {
      res.setHeader('content-encoding', 'gzip');
      return fail();
    });
    client.get('/');
    const { status, headers, body } = await client.answer();
    expect(status).toBe(503);
    expect(headers).toMatchObject({ 'grpc-retry-pushback-ms': '-1', 'x-envoy-overloaded': 'true' });
    expect(headers['content-type']).toBe('application/problem+json');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(JSON.parse(body)).toMatchObject({ status: 503 });
    // Not a fault of the handler's.
    expect(served.errors).toEqual([]);
    await expectServedOn(client);
  });
});

describe('a stale copy', () => {
  test('is served instead of a refusal, if that is wanted', async () => {
    let handled = 0;
    const client = await start((_req, res) => res.end(`${++handled}`), {
      stale: { serveInsteadOfRefusing: true },
    });
    client.get('/known');
    expect(await client.answer()).toMatchObject({ status: 200, body: '1' });
    served.level = REFUSE_ALL;
    client.get('/known');
    const copy = await client.answer();
    expect(copy).toMatchObject({ status: 200, body: '1' });
    expect(copy.headers['age']).toBeDefined();
    client.get('/unknown');
    expect(await client.answer()).toMatchObject({ status: 503 });
    client.send('POST /known HTTP/1.1\r\nhost: test\r\ncontent-length: 0\r\n\r\n');
    expect(await client.answer()).toMatchObject({ status: 503 });
    expect(handled).toBe(1);
    expect(served.guard.snapshot()).toMatchObject({ inFlight: 0, refusedEarly: 1 });
  });

  test('is not, unless it is', async () => {
    const client = await start((_req, res) => res.end('here'), { stale: {} });
    client.get('/known');
    await client.answer();
    served.level = REFUSE_ALL;
    client.get('/known');
    expect(await client.answer()).toMatchObject({ status: 503 });
  });
});

describe('a degraded handler', () => {
  test('is called when there is too much to do, and the request says so', async () => {
    const answer =
      (name: string): Handler =>
      (_req, res) =>
        res.end(`${name} ${currentRequest()!.degraded}`);
    const client = await start(answer('whole'), {}, answer('cheap'));
    const ask = async () => {
      client.get('/');
      return (await client.answer()).body;
    };
    expect(await ask()).toBe('whole false');
    served.level = DEGRADE;
    expect(await ask()).toBe('cheap true');
    served.level = 0;
    expect(await ask()).toBe('whole false');
    expect(served.guard.snapshot().counts.CRITICAL).toMatchObject({ started: 3, degraded: 1 });
  });

  test('may be missing: then there is the mark alone', async () => {
    const client = await start((_req, res) => res.end(`${currentRequest()!.degraded}`));
    served.level = DEGRADE;
    client.get('/');
    expect((await client.answer()).body).toBe('true');
  });
});

for (const earlyRefusal of ['auto', 'off'] as const) {
  describe(`modes, earlyRefusal: ${earlyRefusal}`, () => {
    test('dry-run decides, counts and refuses nothing', async () => {
      const client = await start(hello, { mode: 'dry-run', earlyRefusal });
      served.level = REFUSE_ALL;
      for (let i = 0; i < 3; i++) {
        client.get('/');
        expect((await client.answer()).status).toBe(200);
      }
      client.get('/', 'x-envoy-expected-rq-timeout-ms: 0');
      expect((await client.answer()).status).toBe(200);
      expect(served.guard.snapshot()).toMatchObject({
        mode: 'dry-run',
        onlyReported: 4,
        refusedEarly: 0,
        why: expect.stringMatching(/^would refuse .*test is at 2\.00/),
        refusals: { CRITICAL: { utilization: 3, deadline: 1 } },
      });
    });

    test('can be switched while it runs', async () => {
      const client = await start(hello, { earlyRefusal });
      served.level = REFUSE_ALL;
      const status = async () => {
        client.get('/');
        return (await client.answer()).status;
      };
      expect(await status()).toBe(503);
      served.guard.mode = 'off';
      expect(await status()).toBe(200);
      expect(served.guard.snapshot()).toMatchObject({ inFlight: 0, why: expect.stringContaining('off') });
      served.guard.mode = 'dry-run';
      expect(await status()).toBe(200);
      served.guard.mode = 'enforce';
      expect(await status()).toBe(503);
      expect(() => {
        served.guard.mode = 'on' as never;
      }).toThrow(RangeError);
    });
  });
}

describe('bodies', () => {
  const read: Handler = async (req, res) => {
    let length = 0;
    for await (const chunk of req) length += chunk.length;
    res.end(`got ${length}`);
  };
  const limits = { maxBodyBytes: 1_000 };

  test('that are said to be too long are answered with 413 before anybody reads them', async () => {
    let calls = 0;
    const client = await start(() => calls++, { limits });
    client.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1001\r\n\r\n');
    expect(await client.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
    await client.closed();
    expect(calls).toBe(0);
  });

  test('that turn out to be too long are answered with 413 as well', async () => {
    const client = await start(read, { limits });
    client.send('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    client.send(`3e8\r\n${'x'.repeat(1_000)}\r\n1\r\ny\r\n`);
    expect(await client.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
    await client.closed();
  });

  test('that turn out to be too long while they wait are no reason to call anybody', async () => {
    const calls: string[] = [];
    let finish: () => void = () => {};
    const client = await start(
      (req, res) => {
        calls.push(req.url!);
        finish = () => res.end('first');
      },
      { ...PATIENT, limits },
    );
    client.get('/first');
    await served.until(() => calls.length === 1);
    const second = served.client();
    second.send('POST /second HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    second.send(`7d0\r\n${'x'.repeat(2_000)}\r\n`);
    expect((await second.answer()).status).toBe(413);
    finish();
    expect((await client.answer()).body).toBe('first');
    await served.until(() => served.guard.snapshot().inFlight === 0);
    expect(calls).toEqual(['/first']);
  });

  test('that are just short enough are read', async () => {
    const client = await start(read, { limits });
    client.send(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(1_000)}`);
    expect((await client.answer()).body).toBe('got 1000');
    client.send('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    client.send(`3e8\r\n${'x'.repeat(1_000)}\r\n0\r\n\r\n`);
    expect((await client.answer()).body).toBe('got 1000');
  });

  test('are limited however many headers stand before their length', async () => {
    const client = await start(read, { limits: { ...limits, maxHeaders: 50 } });
    const filler = Array.from({ length: 150 }, (_, i) => `x-filler-${i}: y\r\n`).join('');
    client.send(`POST / HTTP/1.1\r\nhost: x\r\n${filler}content-length: 2000\r\n\r\n${'x'.repeat(2_000)}`);
    // Newer Nodes do not even look at so many.
    expect([413, 431]).toContain((await client.answer()).status);
  });
});

describe('a handler whose client has gone', () => {
  test('keeps its place until its promise settles', async () => {
    let settle: () => void = () => {};
    const client = await start(
      (req, res) =>
        req.url === '/next' ? res.end('next') : new Promise<void>((resolve) => (settle = resolve)),
      PATIENT,
    );
    client.get('/');
    await served.until(() => served.guard.snapshot().gate.running === 1);
    client.close();
    await served.until(() => served.guard.snapshot().connections === 0);
    expect(served.guard.snapshot()).toMatchObject({ inFlight: 1, gate: { running: 1 } });
    const next = served.client();
    next.get('/next');
    await served.until(() => served.guard.snapshot().waiting === 1);
    settle();
    expect((await next.answer()).body).toBe('next');
  });

  test('gives it back at once when it promised nothing', async () => {
    const client = await start(() => {});
    client.get('/');
    await served.until(() => served.guard.snapshot().gate.running === 1);
    client.close();
    await served.until(() => served.guard.snapshot().inFlight === 0);
  });
});
