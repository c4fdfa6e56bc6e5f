import { afterEach, describe, expect, it } from 'vitest';
import { createQuota } from '../../../src/quota/index.js';
import {
  currentRequest,
  type GuardOptions,
  type Handler,
  withCriticality,
} from '../../../src/server/index.js';
import { GuardedServer } from '../server/guarded-server.js';
import { expectNoMishaps } from '../server/mishaps.js';
import type { RawAnswer, RawClient } from '../server/raw-client.js';

expectNoMishaps();

const LIMITS = {
  customers: [
    { customer: 'heavy', perSecond: 10 },
    { customer: 'light', perSecond: 1_000 },
  ],
  everyoneElse: { perSecond: 10 },
};

const OPTIONS: Partial<GuardOptions> = { customer: (head) => head.header('x-customer') };

/** `/7` costs 7. */
const charging: Handler = async (req, res) => {
  await Promise.resolve();
  withCriticality('SHEDDABLE', () => currentRequest()!.charge(Number(req.url!.slice(1))));
  res.end();
};

let server: GuardedServer;
afterEach(() => server.stop());

async function get(client: RawClient, customer: string, path: string): Promise<RawAnswer> {
  client.get(path, `x-customer: ${customer}`);
  return client.answer();
}

/** How many of so many are served. */
async function served(client: RawClient, customer: string, path: string, count: number): Promise<number> {
  let ok = 0;
  for (let i = 0; i < count; i++) ok += (await get(client, customer, path)).status === 200 ? 1 : 0;
  return ok;
}

/** The line is drawn every 100 ms. */
const nextSlot = () => new Promise((resolve) => setTimeout(resolve, 150));

describe('a guard with quotas', () => {
  it('charges what handlers say, and refuses who is over its quota before there is a request', async () => {
    server = await GuardedServer.start(charging, { ...OPTIONS, quota: { ...LIMITS, unit: 'tokens' } });
    const client = server.client();
    // Ten seconds' worth: two were saved up.
    expect((await get(client, 'heavy', '/100')).status).toBe(200);
    await nextSlot();
    const { status, headers, body } = await get(client, 'heavy', '/1');
    expect(status).toBe(429);
    expect(headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/problem+json' });
    expect(JSON.parse(body)).toMatchObject({ type: expect.stringMatching(/#quota-exceeded$/), status: 429 });
    expect(await served(client, 'light', '/1', 20)).toBe(20);
    const { refusedEarly, isRefusingEarly, refusals, quota, customers } = server.guard.snapshot();
    expect({ refusedEarly, isRefusingEarly }).toEqual({ refusedEarly: 1, isRefusingEarly: true });
    expect(refusals.CRITICAL.quota).toBe(1);
    expect(customers['heavy']).toMatchObject({ ended: 1, refused: 1 });
    expect(quota!.stage).toBe('alone');
    const heavy = quota!.customers.find(({ customer }) => customer === 'heavy')!;
    expect(heavy.limitPerSecond).toBe(10);
    expect(heavy.usedPerSecond).toBeGreaterThan(10);
  });

  it('charges CPU by itself, and nothing else then', async () => {
    server = await GuardedServer.start(charging, { ...OPTIONS, quota: LIMITS });
    const client = server.client();
    expect(await served(client, 'heavy', '/100000', 5)).toBe(5);
    await nextSlot();
    expect(await served(client, 'heavy', '/100000', 5)).toBe(5);
    const heavy = server.guard.snapshot().quota!.customers.find(({ customer }) => customer === 'heavy')!;
    expect(heavy.usedPerSecond).toBeLessThan(10);
  });

  it('does not take an amount that is none', async () => {
    const amounts: unknown[] = [-1, Number.NaN, Number.POSITIVE_INFINITY, '5', undefined];
    server = await GuardedServer.start(
      (_req, res) => {
        const messages = amounts.map((amount) => {
          try {
            currentRequest()!.charge(amount as number);
          } catch (error) {
            return error instanceof RangeError;
          }
          return false;
        });
        res.end(JSON.stringify(messages));
      },
      { ...OPTIONS, quota: { ...LIMITS, unit: 'tokens' } },
    );
    const { body } = await get(server.client(), 'heavy', '/');
    expect(JSON.parse(body)).toEqual(amounts.map(() => true));
  });

  it('charges those whose clients leave', async () => {
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    server = await GuardedServer.start(
      async (req, res) => {
        currentRequest()!.charge(100);
        if (req.url === '/leave') await left;
        else res.end();
      },
      { ...OPTIONS, quota: { ...LIMITS, unit: 'tokens' } },
    );
    const leaving = server.client();
    leaving.get('/leave', 'x-customer: heavy');
    await server.until(() => server.guard.snapshot().inFlight === 1);
    leaving.close();
    leave();
    await server.until(() => server.guard.snapshot().inFlight === 0);
    await nextSlot();
    expect((await get(server.client(), 'heavy', '/')).status).toBe(429);
  });

  it('charges what handlers use after their clients have left, promise or not', async () => {
    const going: (() => void)[] = [];
    server = await GuardedServer.start(
      (req, res) => {
        const request = currentRequest()!;
        const go = () => {
          request.charge(100);
          res.end();
        };
        if (req.url === '/leave') going.push(go);
        else res.end();
      },
      { ...OPTIONS, quota: { ...LIMITS, unit: 'tokens' } },
    );
    const leaving = server.client();
    leaving.get('/leave', 'x-customer: heavy');
    await server.until(() => going.length === 1);
    leaving.close();
    await server.until(() => server.guard.snapshot().inFlight === 0);
    expect((await get(server.client(), 'heavy', '/')).status).toBe(200);
    going[0]!();
    const used = () =>
      server.guard.snapshot().quota!.customers.find(({ customer }) => customer === 'heavy')!.usedPerSecond;
    await server.until(() => used() > 20);
    await nextSlot();
    expect((await get(server.client(), 'heavy', '/')).status).toBe(429);
  });

  it('charges CPU that is used after clients have left', async () => {
    let go = () => {};
    server = await GuardedServer.start(
      (req, res) => {
        if (req.url !== '/leave') return void res.end();
        const asked = new Promise<void>((resolve) => {
          go = resolve;
        });
        asked.then(() => {
          for (const untilMs = performance.now() + 200; performance.now() < untilMs; );
        });
      },
      { ...OPTIONS, cpu: { mode: 'exact' }, quota: { everyoneElse: { perSecond: 0.001 } } },
    );
    const leaving = server.client();
    leaving.get('/leave', 'x-customer: heavy');
    await server.until(() => server.guard.snapshot().inFlight === 1);
    leaving.close();
    await server.until(() => server.guard.snapshot().inFlight === 0);
    go();
    const { guard } = server;
    await server.until(() => (guard.snapshot().quota!.customers[0]?.usedPerSecond ?? 0) > 0.02);
    await nextSlot();
    expect((await get(server.client(), 'heavy', '/')).status).toBe(429);
  });

  it('leaves spare capacity to everybody if told so, until there is too much to do', async () => {
    server = await GuardedServer.start(charging, {
      ...OPTIONS,
      quota: { ...LIMITS, unit: 'tokens', enforce: 'when-overloaded' },
    });
    const client = server.client();
    for (let i = 0; i < 3; i++) {
      expect((await get(client, 'heavy', '/100')).status).toBe(200);
      await nextSlot();
    }
    // Nobody is degraded or shed at this yet.
    server.level = 0.7;
    await nextSlot();
    // What was used until now is not owed, and something was saved up.
    expect((await get(client, 'heavy', '/100')).status).toBe(200);
    await nextSlot();
    expect((await get(client, 'heavy', '/100')).status).toBe(429);
    expect(await served(client, 'light', '/1', 5)).toBe(5);
    expect(server.guard.snapshot().refusals.CRITICAL).toMatchObject({ quota: 1, utilization: 0 });
  });

  it('knows whoever has a name that cannot travel by one that can', async () => {
    const seen: string[] = [];
    server = await GuardedServer.start(
      (_req, res) => {
        seen.push(currentRequest()!.customer);
        res.end();
      },
      { ...OPTIONS, quota: { ...LIMITS, unit: 'tokens' } },
    );
    const client = server.client();
    const long = 'x'.repeat(200);
    for (const name of ['evil\tkey', 'é'.repeat(30), `${long}a`, `${long}b`, `${long}a`, 'fine']) {
      await get(client, name, '/');
    }
    expect(new Set(seen).size).toBe(5);
    expect(seen[4]).toBe(seen[2]);
    expect(seen[5]).toBe('fine');
    for (const name of seen.slice(0, 5)) expect(name).toMatch(/^sha256:[0-9a-f]{32}$/);
    const { malformedHeaders, customers, quota } = server.guard.snapshot();
    expect(malformedHeaders).toBe(5);
    expect(Object.keys(customers).sort()).toEqual([...new Set(seen)].sort());
    expect(quota!.customers.map(({ customer }) => customer).sort()).toEqual([...new Set(seen)].sort());
  });

  it('refuses limits for a name that nobody is known by', async () => {
    server = await GuardedServer.start(charging);
    const limits = { ...LIMITS, customers: [{ customer: 'é'.repeat(30), perSecond: 1 }] };
    await expect(createQuota({ limits })).rejects.toThrow('the name of a customer must have 1 to 128');
    const quota = await createQuota({ limits: LIMITS });
    expect(() => quota.setLimits(limits)).toThrow('the name of a customer must have 1 to 128');
    await quota.close();
  });

  it('takes one that somebody else looks after', async () => {
    const quota = await createQuota({ limits: LIMITS, unit: 'tokens' });
    server = await GuardedServer.start(charging, { ...OPTIONS, quota });
    const client = server.client();
    await get(client, 'heavy', '/100');
    await nextSlot();
    expect((await get(client, 'heavy', '/1')).status).toBe(429);
    quota.setLimits({ everyoneElse: { perSecond: 100_000 } });
    await nextSlot();
    expect((await get(client, 'heavy', '/1')).status).toBe(200);
    expect(server.guard.snapshot().quota).toMatchObject({ unit: 'tokens', stage: 'alone' });
    await quota.close();
  });
});
