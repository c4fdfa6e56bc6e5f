import { createServer, type RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createGuard, type Guard } from '../../../../src/server/index.js';
import { until } from '../../client/until.js';
import { HeldProxy } from './held-proxy.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: ConstructorParameters<typeof HeldProxy>[0] = {}): Promise<HeldProxy> {
  const held = await new HeldProxy(options).listen();
  closing.push(() => held.close());
  return held;
}

/** Behind a guard, which knows who asks and until when. */
async function startGuarded(
  options: NonNullable<Parameters<typeof createGuard>[0]>,
  around: (handler: RequestListener) => RequestListener = (handler) => handler,
): Promise<{ readonly held: HeldProxy; readonly guard: Guard }> {
  const guard = createGuard({ health: false, context: 'always', ...options });
  const held = new HeldProxy();
  const server = createServer(guard.protect(around(held.proxy.handle)));
  guard.attach(server);
  // As a gateway has it: whoever wants a body says so.
  server.on('checkContinue', guard.protect(around(held.proxy.handle)));
  await held.listen(server);
  closing.push(
    () => guard.drain({ timeoutMs: 0 }),
    () => held.close(),
  );
  return { held, guard };
}

const ANSWER = (body = 'ok') => [200, { 'content-length': String(body.length) }] as const;

describe('a request that waits', () => {
  it('is sent on when it is its turn, in the order in which it came', async () => {
    const held = await start();
    const [first, second] = [await held.asking('/1'), await held.asking('/2')];
    const turn = await held.turn();
    expect([turn.req.url, held.turns.length, held.proxy.snapshot().waiting]).toEqual(['/1', 0, 1]);
    turn.res.writeHead(...ANSWER()).end('ok');
    expect((await first.answer()).body).toBe('ok');
    (await held.turn()).res.writeHead(...ANSWER()).end('ok');
    expect((await second.answer()).status).toBe(200);
    await until('all is over', () => held.proxy.snapshot().underWay === 0);
    expect(held.proxy.snapshot().counts).toMatchObject({ forwarded: 2, left: 0 });
  });

  it('makes room as soon as it is said what came of it', async () => {
    const held = await start();
    await held.asking('/1');
    await held.asking('/2');
    const { done } = await held.turn();
    done('answered');
    done('broken');
    expect((await held.turn()).req.url).toBe('/2');
    expect(held.proxy.snapshot()).toMatchObject({ underWay: 1, waiting: 0 });
  });

  it('leaves with its client, also when it is behind another on its connection', async () => {
    const held = await start();
    await held.asking();
    const gone = await held.asking('/gone');
    gone.get('/behind');
    await held.waiting(2);
    gone.close();
    await held.waiting(0);
    expect(held.proxy.snapshot().counts.left).toBe(2);
  });

  it('gives its place up when its client goes while it is under way', async () => {
    const held = await start();
    const client = await held.asking('/1');
    await held.asking('/2');
    await held.turn();
    client.close();
    expect((await held.turn()).req.url).toBe('/2');
  });

  it('is answered 429 when too many wait, with a time to come back', async () => {
    const held = await start({ queue: { maxWaiting: 1 } });
    await held.asking();
    await held.asking();
    const client = held.client();
    client.get();
    const { status, headers, body } = await client.answer();
    expect([status, JSON.parse(body).status]).toEqual([429, 429]);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    // The connection goes on.
    client.get();
    expect((await client.answer()).status).toBe(429);
    expect(held.proxy.snapshot().counts.refused['queue-full']).toBe(2);
  });

  it('is answered 429 when it has waited too long', async () => {
    const held = await start({ queue: { maxWaitMs: 200 } });
    await held.asking();
    await held.turn();
    const client = await held.asking();
    expect((await client.answer()).status).toBe(429);
    expect(held.turns).toHaveLength(0);
    expect(held.proxy.snapshot().counts.refused.waited).toBe(1);
  });

  it('is sent away when its job is, and when the proxy closes', async () => {
    const held = await start({ job: { header: 'x-job' } });
    const first = await held.asking('/', 'x-job: a');
    const [a, b] = [await held.asking('/', 'x-job: a'), await held.asking('/', 'x-job: b')];
    expect(held.proxy.removeJob('a')).toBe(1);
    expect((await a.answer()).status).toBe(503);
    const closed = held.proxy.close();
    expect((await b.answer()).status).toBe(503);
    a.get();
    expect((await a.answer()).status).toBe(503);
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isClosed).toBe(false);
    (await held.turn()).res.writeHead(...ANSWER()).end('ok');
    expect((await first.answer()).status).toBe(200);
    await closed;
    await held.proxy.close();
  });

  it('does not bring the proxy down when it cannot be sent on', async () => {
    const held = await start({
      utilization: [
        () => {
          throw new Error('nobody knows');
        },
      ],
    });
    held.failing = new Error('cannot');
    const client = held.client();
    client.get();
    await client.closed();
    expect(held.errors).toContain(held.failing);
    held.failing = undefined;
    await held.asking('/next');
    expect((await held.turn()).req.url).toBe('/next');
    await until('utilization was asked for', () => held.errors.length > 1);
  });
});

describe('a body', () => {
  const MEGABYTE = 1_048_576;

  it('is not read before the turn, however long it is', async () => {
    const held = await start();
    await held.asking();
    const turn = await held.turn();
    const client = held.client();
    client.send(`POST / HTTP/1.1\r\nhost: test\r\ncontent-length: ${32 * MEGABYTE}\r\n\r\n`);
    await held.waiting(1);
    client.send('x'.repeat(32 * MEGABYTE));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(held.proxy.snapshot().heldBytes).toBeLessThanOrEqual(65_536);
    expect(client.socket.writableLength).toBeGreaterThan(16 * MEGABYTE);
    turn.res.writeHead(...ANSWER()).end('ok');
    const { req, res } = await held.turn();
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    req.on('end', () => res.writeHead(...ANSWER()).end('ok'));
    expect((await client.answer()).status).toBe(200);
    expect(bytes).toBe(32 * MEGABYTE);
    expect(held.proxy.snapshot().heldBytes).toBe(0);
  });

  it('that is short is read, and bounded by all of them', async () => {
    const held = await start({ maxHeldBytes: 5_000 });
    await held.asking();
    await held.turn();
    const post = () => {
      const client = held.client();
      client.send(`POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 3000\r\n\r\n${'x'.repeat(3_000)}`);
      return client;
    };
    const first = post();
    await held.waiting(1);
    expect(held.proxy.snapshot().heldBytes).toBe(3_000);
    const second = post();
    const { status, headers } = await second.answer();
    expect([status, Number(headers['retry-after']) >= 1]).toEqual([429, true]);
    // It was read to its end, and the connection goes on.
    second.get();
    await held.waiting(2);
    second.close();
    await held.waiting(1);
    first.close();
    await held.waiting(0);
    expect(held.proxy.snapshot()).toMatchObject({
      heldBytes: 0,
      counts: { left: 2, refused: { 'bodies-full': 1 } },
    });
  });

  it('that is long and refused ends the connection, after its client has heard why', async () => {
    const held = await start({ maxHeldBytes: 0 });
    const client = held.client();
    client.send('POST / HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n');
    const { status, headers } = await client.answer();
    expect([status, headers['connection']]).toEqual([429, 'close']);
    client.send('0\r\n\r\n');
    await client.closed();
    expect(held.turns).toHaveLength(0);
  });

  it('of a slow client does not keep others from their turn', async () => {
    const held = await start();
    const slow = held.client();
    slow.send('POST /slow HTTP/1.1\r\nhost: test\r\ncontent-length: 10\r\n\r\nabc');
    (await held.turn()).req.resume();
    await held.asking('/next');
    expect((await held.turn()).req.url).toBe('/next');
    expect(held.proxy.snapshot()).toMatchObject({ slow: 1, underWay: 1 });
    slow.close();
    await until('the slow one is forgotten', () => held.proxy.snapshot().slow === 0);
  });

  it('is asked for when it is its turn, and not before', async () => {
    const { held } = await startGuarded({});
    await held.asking();
    const turn = await held.turn();
    const client = held.client();
    client.send('POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 3\r\nexpect: 100-continue\r\n\r\n');
    await held.waiting(1);
    let isAsked = false;
    client.socket.on('data', () => {
      isAsked = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAsked).toBe(false);
    turn.res.writeHead(...ANSWER()).end('ok');
    const { req, res } = await held.turn();
    res.writeContinue();
    expect((await client.answer()).status).toBe(100);
    client.send('abc');
    req.on('data', () => {});
    req.on('end', () => res.writeHead(...ANSWER()).end('ok'));
    expect((await client.answer()).status).toBe(200);
  });
});

describe('behind a guard', () => {
  it('is a batch, whatever it says, and keeps who it is for and until when', async () => {
    const { held } = await startGuarded({ trust: 'all' });
    const seen: unknown[] = [];
    for (const said of ['CRITICAL_PLUS', 'SHEDDABLE'])
      await held.asking('/', `x-request-criticality: ${said}`, 'x-plimsoll-customer: mail');
    expect(held.proxy.snapshot().jobs).toMatchObject([{ job: 'mail', waiting: 1, underWay: 1 }]);
    for (let i = 0; i < 2; i++) {
      const { res, criticality, context } = await held.turn();
      seen.push([criticality, context?.customer]);
      res.writeHead(...ANSWER()).end('ok');
    }
    expect(seen).toEqual([
      ['SHEDDABLE_PLUS', 'mail'],
      ['SHEDDABLE', 'mail'],
    ]);
  });

  it('is answered 504 when its deadline passes, and not sent on', async () => {
    const { held } = await startGuarded({ trust: 'all' });
    await held.asking();
    const turn = await held.turn();
    const client = await held.asking('/late', 'x-envoy-expected-rq-timeout-ms: 150');
    const { status } = await client.answer();
    expect(status).toBe(504);
    turn.res.writeHead(...ANSWER()).end('ok');
    await until('nobody is under way', () => held.proxy.snapshot().underWay === 0);
    await held.asking('/next');
    expect((await held.turn()).req.url).toBe('/next');
    expect(held.proxy.snapshot().counts.refused.late).toBe(1);
  });

  it('takes no place of what the guard lets run at once', async () => {
    const { held, guard } = await startGuarded({ concurrency: 2 }, (batch) => (req, res) => {
      if (req.url === '/interactive') res.writeHead(...ANSWER()).end('ok');
      else batch(req, res);
    });
    for (let i = 0; i < 20; i++) await held.asking();
    expect(guard.snapshot().gate.running).toBe(0);
    const client = held.client();
    client.get('/interactive');
    expect((await client.answer()).status).toBe(200);
    expect(held.proxy.snapshot()).toMatchObject({ waiting: 19, underWay: 1 });
  });
});
