import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import { currentRequest, withCriticality } from '../../../src/context/index.js';
import { until } from '../server/guarded-server.js';
import { Fleet } from './fleet.js';

const fleet = new Fleet();
afterEach(() => fleet.stop());

interface Seen {
  criticality: string;
  attempt: number;
  customer: string;
  remainingMs: number;
  traceId: string | undefined;
}

/** What the request being served says of itself. */
function here(): Seen {
  const request = currentRequest()!;
  const { criticality, attempt, customer, traceId } = request;
  return { criticality, attempt, customer, traceId, remainingMs: request.remainingMs() };
}

/** A → B → C, each a guarded server that calls the next. */
async function threeHops(callOfB: (fetchC: (path: string) => Promise<Response>) => Promise<string>) {
  const seenAtB: Seen[] = [];
  const seenAtC: Seen[] = [];
  const c = await fleet.guarded((_req, res) => {
    seenAtC.push(here());
    res.end('c');
  });
  const toC = fleet.client({ backends: [c.url], name: 'c' });
  const b = await fleet.guarded(async (_req, res) => {
    seenAtB.push(here());
    res.end(await callOfB((path) => toC.fetch(path) as unknown as Promise<Response>));
  });
  const toB = fleet.client({ backends: [b.url], name: 'b' });
  const a = await fleet.guarded(async (req, res) => {
    res.end(await (await toB.fetch(req.url!)).text());
  });
  const toA = fleet.client({ backends: [a.url], name: 'a' });
  return { a, b, c, toA, toB, toC, seenAtB, seenAtC };
}

describe('three hops', () => {
  it('keep criticality, customer, trace and the deadline, which only shrinks', async () => {
    const { toA, seenAtB, seenAtC } = await threeHops(async (fetchC) => (await fetchC('/')).text());
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const answer = await toA.fetch('/', {
      criticality: 'SHEDDABLE_PLUS',
      customer: 'mail',
      timeoutMs: 10_000,
      headers: { traceparent },
    });
    expect(await answer.text()).toBe('c');
    for (const [seen] of [seenAtB, seenAtC]) {
      expect(seen).toMatchObject({
        criticality: 'SHEDDABLE_PLUS',
        customer: 'mail',
        attempt: 1,
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      });
    }
    expect(seenAtC[0]!.remainingMs).toBeLessThan(10_000);
    expect(seenAtC[0]!.remainingMs).toBeLessThanOrEqual(seenAtB[0]!.remainingMs);
  });

  it('let code say otherwise on the way', async () => {
    const { toA, seenAtC } = await threeHops((fetchC) =>
      withCriticality('SHEDDABLE', async () => (await fetchC('/')).text()),
    );
    await (await toA.fetch('/', { criticality: 'CRITICAL_PLUS' })).text();
    expect(seenAtC[0]!.criticality).toBe('SHEDDABLE');
  });

  it('refuse what is sheddable first when the last is overloaded', async () => {
    const { toA, c } = await threeHops(async (fetchC) => (await fetchC('/')).text());
    await (await toA.fetch('/')).text();
    // Where SHEDDABLE is refused and CRITICAL is not.
    c.level = 0.9;
    const count = async (criticality: 'SHEDDABLE' | 'CRITICAL') => {
      let served = 0;
      for (let i = 0; i < 30; i++)
        await toA.fetch('/', { criticality }).then(
          async (answer) => {
            await answer.text();
            served += answer.status === 200 ? 1 : 0;
          },
          () => {},
        );
      return served;
    };
    await until(() => c.guard.snapshot().gate.utilization > 0.85);
    expect(await count('CRITICAL')).toBe(30);
    expect(await count('SHEDDABLE')).toBeLessThan(15);
  });

  it('retry an overload right above it, and nowhere else', async () => {
    const { toA, toB, toC, c } = await threeHops(async (fetchC) => (await fetchC('/')).text());
    // Enough to earn retries at every layer.
    for (let i = 0; i < 60; i++) await (await toA.fetch('/')).text();
    const before = { b: toB.snapshot().counts.attempts, a: toA.snapshot().counts.attempts };
    c.level = 2;
    await until(() => c.guard.snapshot().gate.utilization > 1.5);
    await expect(toA.fetch('/')).rejects.toMatchObject({ code: 'PLIMSOLL_DONT_RETRY' });
    // C was tried again by B (or told it not to); B and A were not.
    const attempts = toC.snapshot().counts.attempts;
    expect(attempts[0]).toBe(61);
    expect(toB.snapshot().counts.attempts).toEqual([before.b[0]! + 1]);
    expect(toA.snapshot().counts.attempts).toEqual([before.a[0]! + 1]);
    expect(
      toC.snapshot().counts.outcomes['task-overloaded'] +
        toC.snapshot().counts.outcomes['overloaded-no-retry'],
    ).toBe(attempts.reduce((sum, count) => sum + count, 0) - 60);
  });
});

it('a call made outside of any request says what the client is told to say', async () => {
  const seen: Seen[] = [];
  const server = await fleet.guarded((_req, res) => {
    seen.push(here());
    res.end();
  });
  const client = createClient({
    backends: [server.url],
    criticality: 'SHEDDABLE',
    customer: 'batch',
    timeoutMs: 5_000,
  });
  fleet.owns(() => client.close());
  await (await client.fetch('/')).text();
  expect(seen[0]).toMatchObject({ criticality: 'SHEDDABLE', customer: 'batch' });
  expect(seen[0]!.remainingMs).toBeLessThanOrEqual(5_000);
});
