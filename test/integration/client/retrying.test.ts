import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { refusalHeaders } from '../../../src/wire/index.js';
import { until } from '../server/guarded-server.js';
import { Fleet, PlainServer, statesOf } from './fleet.js';

const fleet = new Fleet();
afterEach(() => fleet.stop());

/** Every test here counts attempts: health checks and weights would only be in the way. */
const PLAIN = { health: false, policy: 'round-robin', throttle: false } as const;

function refuse(res: ServerResponse, name: 'task-overloaded' | 'overloaded-no-retry' | 'limited'): void {
  res.writeHead(
    name === 'limited' ? 429 : 503,
    refusalHeaders(name).filter((_, i, all) => !all[i - (i % 2)]!.startsWith('content')),
  );
  res.end();
}

/** Enough requests for a retry to be a tenth of them. */
async function earnRetries(fetch: (path: string) => Promise<{ text(): Promise<string> }>): Promise<void> {
  for (let i = 0; i < 40; i++) await (await fetch('/fine')).text();
}

describe('what was refused', () => {
  it('is sent elsewhere at once, whatever its method, with its body and the number of the attempt', async () => {
    const seen: string[] = [];
    const overloaded = await fleet.plain(async (req, res) => {
      if (req.url === '/fine') return res.end();
      seen.push(`${req.headers['x-envoy-attempt-count']} ${await text(req)}`);
      return refuse(res, 'task-overloaded');
    });
    const fine = await fleet.plain(async (req, res) => {
      if (req.url !== '/fine') seen.push(`${req.headers['x-envoy-attempt-count']} ${await text(req)}`);
      res.end('served');
    });
    const client = fleet.client({
      ...PLAIN,
      backends: [overloaded.url, fine.url],
      retry: { budget: { ratio: 1 } },
    });
    await earnRetries((path) => client.fetch(path));
    for (const body of ['text', Readable.from(['str', 'eam']), Buffer.from('bytes')]) {
      // The first goes to one, the next to the other.
      for (let i = 0; i < 2; i++) {
        const again = body instanceof Readable && i === 1 ? Readable.from(['str', 'eam']) : body;
        const { body: answer } = await client.request('/', { method: 'POST', body: again });
        expect(await answer.text()).toBe('served');
      }
    }
    for (const body of ['text', 'bytes', 'stream']) {
      expect(seen.filter((each) => each === `1 ${body}`)).toHaveLength(2);
      expect(seen).toContain(`2 ${body}`);
    }
    expect(client.snapshot().counts.outcomes['task-overloaded']).toBeGreaterThanOrEqual(3);
  });

  it('is sent again however long it is, when it is no stream', async () => {
    const lengths: number[] = [];
    const server = await fleet.plain(async (req, res) => {
      lengths.push((await text(req)).length);
      if (lengths.length === 1) refuse(res, 'task-overloaded');
      else res.end('served');
    });
    const client = fleet.client({ ...PLAIN, backends: [server.url] });
    const answer = await client.fetch('/', { method: 'POST', body: 'x'.repeat(200_000) });
    expect(await answer.text()).toBe('served');
    expect(lengths).toEqual([200_000, 200_000]);
  });

  it('is sent three times and no more, then thrown', async () => {
    const server = await fleet.plain((_req, res) => refuse(res, 'task-overloaded'));
    const client = fleet.client({ ...PLAIN, backends: [server.url], retry: { budget: { ratio: 10 } } });
    await expect(client.fetch('/')).rejects.toMatchObject({
      code: 'PLIMSOLL_OVERLOADED',
      retry: 'later',
      retryAfterMs: 1_000,
    });
    expect(server.requests).toBe(3);
    expect(client.snapshot()).toMatchObject({ active: 0, counts: { attempts: [1, 1, 1] } });
  });

  it('is not sent again when the service says so, nor when it is limited', async () => {
    const server = await fleet.plain((req, res) =>
      refuse(res, req.url === '/limited' ? 'limited' : 'overloaded-no-retry'),
    );
    const client = fleet.client({ ...PLAIN, backends: [server.url] });
    await expect(client.fetch('/')).rejects.toMatchObject({ code: 'PLIMSOLL_DONT_RETRY', retry: 'no' });
    expect((await client.fetch('/limited')).status).toBe(429);
    expect(server.requests).toBe(2);
  });

  it('is handed on as it is where that is asked for', async () => {
    const server = await fleet.plain((_req, res) => refuse(res, 'overloaded-no-retry'));
    const client = fleet.client({ ...PLAIN, backends: [server.url], refusals: 'answer' });
    expect((await client.fetch('/')).status).toBe(503);
  });

  it('is not sent again when its body is too long to be kept', async () => {
    const server = await fleet.plain(async (req, res) => {
      await text(req);
      refuse(res, 'task-overloaded');
    });
    const client = fleet.client({ ...PLAIN, backends: [server.url], retry: { maxBodyBytes: 10 } });
    const body = Readable.from(['0123456', '789abcd']);
    await expect(client.request('/', { method: 'POST', body })).rejects.toMatchObject({
      code: 'PLIMSOLL_OVERLOADED',
    });
    expect(server.requests).toBe(1);
  });
});

describe('what broke', () => {
  it('is sent again only when that does no harm', async () => {
    const broken = await fleet.plain((req, res) => {
      if (req.url === '/fine') res.end();
      else req.socket.destroy();
    });
    const fine = await fleet.plain((_req, res) => {
      res.end('served');
    });
    /** The one that breaks, then the other. */
    let attempts = 0;
    const client = fleet.client({
      ...PLAIN,
      backends: [broken.url, fine.url],
      retry: { budget: { ratio: 10 } },
      roster: { outliers: false },
      policy: () => {
        let entries: readonly { backend: { key: string } }[] = [];
        return {
          enlist: (backend) => ({ backend }),
          adopt: (given) => {
            entries = given;
          },
          choose: () => {
            const key = attempts++ === 0 ? broken.url : fine.url;
            return (entries.find(({ backend }) => backend.key === key) ?? entries[0]) as never;
          },
          onDone: () => {},
        };
      },
    });
    /** With a connection on which something was answered, as they are in life. */
    const ask = async (options: { method: 'GET' | 'POST'; idempotent?: boolean }) => {
      await until(() => Object.values(statesOf(client)).every((state) => state === 'ready'));
      attempts = 0;
      await (await client.request('/fine')).body.dump();
      attempts = 0;
      return client.request('/', options).then(
        async ({ body }) => body.text(),
        () => 'failed',
      );
    };
    for (let i = 0; i < 3; i++) {
      expect(await ask({ method: 'GET' })).toBe('served');
      expect(await ask({ method: 'POST' })).toBe('failed');
      expect(await ask({ method: 'POST', idempotent: true })).toBe('served');
      expect(await ask({ method: 'GET', idempotent: false })).toBe('failed');
    }
    await until(() => client.snapshot().active === 0);
  });

  it('is not sent again once the caller has the beginning of an answer', async () => {
    const server = await fleet.plain((_req, res) => {
      res.write('half of it');
      setTimeout(() => res.destroy(), 20);
    });
    const client = fleet.client({ ...PLAIN, backends: [server.url] });
    const { body } = await client.request('/');
    await expect(body.text()).rejects.toThrow();
    expect(server.requests).toBe(1);
    expect(client.snapshot()).toMatchObject({ active: 0, counts: { outcomes: { broken: 1 } } });
  });

  it('goes elsewhere when nobody listens, whatever its method, and costs no retry budget', async () => {
    const gone = await PlainServer.start((_req, res) => {
      res.end();
    });
    const fine = await fleet.plain((_req, res) => {
      res.end('served');
    });
    const client = fleet.client({
      ...PLAIN,
      backends: [gone.url, fine.url],
      retry: { budget: { ratio: 0 } },
    });
    await until(() => statesOf(client)[gone.url] === 'ready');
    await gone.stop();
    // What is written before the end of a connection is seen may have been read.
    await until(() => client.snapshot().backends.find(({ url }) => url === gone.url)!.connections === 0);
    for (let i = 0; i < 20; i++)
      expect(await (await client.fetch('/', { method: 'POST', body: 'x' })).text()).toBe('served');
    await until(() => statesOf(client)[gone.url] === 'refusing');
  });
});

describe('deadlines', () => {
  it('end a request that waits for its answer, and are not waited for when there is no time', async () => {
    const server = await fleet.plain(() => {});
    const client = fleet.client({ ...PLAIN, backends: [server.url] });
    await expect(client.fetch('/', { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'PLIMSOLL_DEADLINE',
      message: 'the deadline passed before the answer came',
    });
    expect(client.snapshot()).toMatchObject({ active: 0, counts: { outcomes: { broken: 1 } } });
    expect(server.requests).toBe(1);
  });

  it('end one that waits for a backend', async () => {
    const silent = { name: 'silent', start() {}, refresh() {}, close() {} };
    const client = fleet.client({ ...PLAIN, backends: silent });
    await expect(client.fetch('/', { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'PLIMSOLL_DEADLINE',
      message: 'the deadline passed before the request was sent',
    });
    expect(client.snapshot()).toMatchObject({ active: 0, waiting: 0 });
  });
});

describe('throttling', () => {
  it('withholds what would be refused anyway, apart for each criticality', async () => {
    const server = await fleet.plain((req, res) =>
      req.headers['x-request-criticality'] === 'SHEDDABLE'
        ? refuse(res, 'overloaded-no-retry')
        : res.end('served'),
    );
    const client = fleet.client({ health: false, policy: 'round-robin', backends: [server.url] });
    const codes: Record<string, number> = {};
    for (let i = 0; i < 300; i++) {
      await client.fetch('/', { criticality: 'SHEDDABLE' }).catch(({ code }) => {
        codes[code] = (codes[code] ?? 0) + 1;
      });
    }
    expect(codes['PLIMSOLL_THROTTLED']).toBeGreaterThan(100);
    expect(server.requests).toBe(codes['PLIMSOLL_DONT_RETRY']);
    for (let i = 0; i < 50; i++) expect((await client.fetch('/')).status).toBe(200);
  });
});

describe('what was broken', () => {
  it('goes elsewhere, though its backend is the least loaded and has other connections that look well', async () => {
    const held: ServerResponse[] = [];
    let isEnding = false;
    let broken = 0;
    const ending = await fleet.plain((req, res) => {
      if (isEnding) {
        broken++;
        req.socket.destroy();
      } else held.push(res);
    });
    const busy = await fleet.plain((_, res) => held.push(res));
    const backends = [ending.url, busy.url];
    const client = fleet.client({
      ...PLAIN,
      policy: 'least-loaded',
      backends,
      retry: { budget: { ratio: 1 } },
    });
    await until(() => client.snapshot().states.ready === 2);
    const many = Array.from({ length: 8 }, () => client.fetch('/'));
    await until(() => held.length === many.length);
    for (const res of held.splice(0))
      if (res.req.socket.localPort === ending.port) res.end();
      else held.push(res);
    await until(() => client.snapshot().backends.some(({ active }) => active === 0));
    isEnding = true;
    const last = client.fetch('/');
    await until(() => busy.requests === 5);
    for (const res of held) res.end('served');
    expect(await (await last).text()).toBe('served');
    expect(broken).toBe(1);
    await Promise.all(many);
    // It takes connections: it is there.
    await until(() => statesOf(client)[ending.url] === 'ready');
  });

  it('goes there again where there is nobody else', async () => {
    let asked = 0;
    const alone = await fleet.plain((req, res) =>
      ++asked % 2 === 1 ? req.socket.destroy() : res.end('served'),
    );
    const client = fleet.client({ ...PLAIN, backends: [alone.url], retry: { budget: { ratio: 1 } } });
    for (let i = 0; i < 3; i++) expect(await (await client.fetch('/')).text()).toBe('served');
    expect(asked).toBe(6);
  });
});
