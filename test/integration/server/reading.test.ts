import { afterEach, describe, expect, test } from 'vitest';
import { currentRequest, type GuardOptions, type Handler } from '../../../src/server/index.js';
import type { Trust } from '../../../src/server/intake/trust.js';
import { GuardedServer, PATIENT } from './guarded-server.js';
import { expectNoMishaps } from './mishaps.js';
import type { RawClient } from './raw-client.js';

/** What is believed of a request, and what follows from it. */

const REFUSE_ALL = 2;
/** Both sheddable ones are refused, the critical ones are served. */
const REFUSE_SHEDDABLE = 1;

const CLAIMS = [
  'x-request-criticality: SHEDDABLE',
  'x-plimsoll-customer: anna',
  'x-envoy-attempt-count: 3',
  'x-envoy-expected-rq-timeout-ms: 60000',
];
const NOTHING_SAID = { criticality: 'CRITICAL', customer: 'anonymous', attempt: 1, hasDeadline: false };
const AS_CLAIMED = { criticality: 'SHEDDABLE', customer: 'anna', attempt: 3, hasDeadline: true };

const tell: Handler = (_req, res) => {
  const { criticality, customer, attempt, deadline, remainingMs } = currentRequest()!;
  expect(remainingMs.call(currentRequest())).toBeGreaterThan(0);
  res.end(JSON.stringify({ criticality, customer, attempt, hasDeadline: Number.isFinite(deadline) }));
};

expectNoMishaps();

let served: GuardedServer;
afterEach(async () => {
  await served.until(() => served.guard.snapshot().inFlight === 0);
  await served.stop();
});

const start = async (options: Partial<GuardOptions> = {}, handler: Handler = tell): Promise<RawClient> => {
  served = await GuardedServer.start(handler, options);
  return served.client();
};

const ask = async (client: RawClient, path = '/', ...headers: string[]) => {
  client.get(path, ...headers);
  const { status, body, headers: answered } = await client.answer();
  return { status, headers: answered, told: status === 200 ? JSON.parse(body) : body };
};

describe('headers about a request', () => {
  test.each<[Trust, object]>([
    ['private', AS_CLAIMED],
    ['all', AS_CLAIMED],
    ['none', NOTHING_SAID],
    [['127.0.0.0/8'], AS_CLAIMED],
    [['10.0.0.0/8', 'fc00::/7'], NOTHING_SAID],
    [(address: string) => address === '127.0.0.1', AS_CLAIMED],
    [() => false, NOTHING_SAID],
  ])('are believed as trust says: %s', async (trust, expected) => {
    const client = await start({ trust });
    const { told, headers } = await ask(client, '/', ...CLAIMS);
    expect(told).toEqual(expected);
    // How loaded we are is told to those alone who are believed.
    expect('endpoint-load-metrics' in headers).toBe(expected === AS_CLAIMED);
  });

  test('are not believed when nobody can say whether they are to be', async () => {
    const client = await start({
      trust: () => {
        throw new Error('no list');
      },
    });
    expect((await ask(client, '/', ...CLAIMS)).told).toEqual(NOTHING_SAID);
    expect(served.errors).toEqual([new Error('no list')]);
  });

  test.each([
    ['x-request-criticality: URGENT'],
    ['x-request-criticality: '],
    [`x-request-criticality: ${'A'.repeat(5_000)}`],
    ['x-envoy-attempt-count: 0'],
    ['x-envoy-attempt-count: -1'],
    ['x-envoy-attempt-count: 1e3'],
    ['x-envoy-expected-rq-timeout-ms: soon'],
    ['x-envoy-expected-rq-timeout-ms: -5'],
    ['x-envoy-expected-rq-timeout-ms: 99999999999999999999'],
    ['x-plimsoll-customer: %zz'],
    ['traceparent: 00-0'],
  ])('that make no sense are ignored and counted: %s', async (line) => {
    const client = await start();
    expect((await ask(client, '/', line)).told).toEqual(NOTHING_SAID);
    expect(served.guard.snapshot().malformedHeaders).toBe(1);
    expect((await ask(client, '/', ...CLAIMS)).told).toEqual(AS_CLAIMED);
    expect(served.guard.snapshot().malformedHeaders).toBe(1);
  });

  test('that come twice hold as they came first', async () => {
    const client = await start();
    expect((await ask(client, '/', ...CLAIMS, ...CLAIMS.map((line) => `${line}1`))).told).toEqual(AS_CLAIMED);
    expect(served.guard.snapshot().malformedHeaders).toBe(4);
  });
});

describe('whose a request is and how critical', () => {
  test('functions say, over what headers say', async () => {
    const client = await start({
      customer: ({ url }) => (url === '/otto' ? 'otto' : undefined),
      criticality: (head) => (head.header('X-Kind') === 'batch' ? 'SHEDDABLE_PLUS' : undefined),
    });
    expect((await ask(client, '/otto', ...CLAIMS, 'x-kind: batch')).told).toMatchObject({
      customer: 'otto',
      criticality: 'SHEDDABLE_PLUS',
    });
    expect((await ask(client, '/', ...CLAIMS)).told).toEqual(AS_CLAIMED);
  });

  test('functions that throw or talk nonsense cost nothing but a report', async () => {
    const nonsense = [undefined, null, 7, '', 'URGENT', {}, new Error('thrown')];
    let answer: unknown;
    const say = () => {
      if (answer instanceof Error) throw answer;
      return answer as never;
    };
    const client = await start({ customer: say, criticality: say });
    for (answer of nonsense) {
      const { status, told } = await ask(client, '/', ...CLAIMS);
      expect({ status, told }).toEqual({
        status: 200,
        told: answer === 'URGENT' ? { ...AS_CLAIMED, customer: 'URGENT' } : AS_CLAIMED,
      });
    }
    expect(served.errors).toEqual([new Error('thrown'), new Error('thrown')]);
  });

  test('a route may decide on its own', async () => {
    const client = await start({
      routes: [
        { path: '/batch/*', criticality: 'SHEDDABLE' },
        { path: '/pay', method: 'POST', criticality: 'CRITICAL_PLUS' },
      ],
      criticality: () => 'CRITICAL',
    });
    expect((await ask(client, '/batch/7?x=1')).told.criticality).toBe('SHEDDABLE');
    expect((await ask(client, '/pay')).told.criticality).toBe('CRITICAL');
    served.level = REFUSE_SHEDDABLE;
    expect((await ask(client, '/batch/7')).status).toBe(503);
    expect((await ask(client, '/other', 'x-request-criticality: SHEDDABLE')).status).toBe(200);
    expect(served.guard.snapshot().routes).toMatchObject({
      '/batch/*': { started: 1, ended: 1, refused: 1 },
      other: { started: 2, ended: 2, refused: 0 },
    });
  });

  test('what is exempt is served whatever happens, and takes no place', async () => {
    const client = await start({ routes: [{ path: '/metrics', exempt: true }], concurrency: 1 });
    served.level = REFUSE_ALL;
    expect((await ask(client, '/')).status).toBe(503);
    expect((await ask(client, '/metrics')).status).toBe(200);
    expect(served.guard.snapshot()).toMatchObject({
      gate: { running: 0 },
      counts: { CRITICAL: { refused: 1 } },
    });
  });
});

describe('a deadline', () => {
  test('that has passed is answered with 504, and nobody is called', async () => {
    let calls = 0;
    const client = await start({}, () => calls++);
    client.get('/', 'x-envoy-expected-rq-timeout-ms: 0');
    const { status, headers } = await client.answer();
    expect(status).toBe(504);
    expect(headers).toMatchObject({
      'grpc-retry-pushback-ms': '-1',
      'content-type': 'application/problem+json',
    });
    expect(calls).toBe(0);
    expect(served.guard.snapshot().refusals.CRITICAL.deadline).toBe(1);
  });

  test('that passes while the request waits is too', async () => {
    const calls: string[] = [];
    let finish: () => void = () => {};
    const client = await start(PATIENT, (req, res) => {
      calls.push(req.url!);
      finish = () => res.end();
    });
    client.get('/first');
    await served.until(() => calls.length === 1);
    const late = served.client();
    late.get('/late', 'x-envoy-expected-rq-timeout-ms: 20');
    await served.until(() => served.guard.snapshot().waiting === 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    finish();
    expect((await late.answer()).status).toBe(504);
    expect((await client.answer()).status).toBe(200);
    expect(calls).toEqual(['/first']);
  });

  test('is the earlier of what the sender and the server allow', async () => {
    const client = await start({ timeoutMs: 60_000 }, (_req, res) => {
      res.end(JSON.stringify(currentRequest()!.remainingMs()));
    });
    const within = async (bound: number, ...headers: string[]) => {
      const { told } = await ask(client, '/', ...headers);
      expect(told).toBeGreaterThan(bound - 20_000);
      expect(told).toBeLessThanOrEqual(bound);
    };
    await within(60_000);
    await within(60_000, 'x-envoy-expected-rq-timeout-ms: 90000');
    await within(30_000, 'x-envoy-expected-rq-timeout-ms: 30000');
  });
});

describe('a quota', () => {
  const burn: Handler = (_req, res) => {
    for (const endMs = performance.now() + 2; performance.now() < endMs; );
    res.end('{}');
  };

  test('of CPU is kept by refusing the customer that is over it, and nobody else', async () => {
    const quota = { customers: [{ customer: 'greedy', perSecond: 0.05 }], everyoneElse: { perSecond: 10 } };
    const client = await start({ quota }, burn);
    const statuses: number[] = [];
    // Its limit for a second takes 25 requests, and the savings of two seconds 50 more.
    for (let i = 0; i < 1_000 && !statuses.includes(429); i++) {
      const { status, headers, told } = await ask(client, '/', 'x-plimsoll-customer: greedy');
      statuses.push(status);
      if (status === 429) {
        expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '1' });
        expect(JSON.parse(told)).toMatchObject({ status: 429, title: 'Quota exceeded' });
      }
      expect((await ask(client, '/', 'x-plimsoll-customer: modest')).status).toBe(200);
    }
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(served.guard.snapshot().refusals.CRITICAL.quota).toBe(1);
    expect(served.guard.snapshot().customers).toMatchObject({
      greedy: { refused: 1 },
      modest: { refused: 0 },
    });
  });

  test('of nothing is none', async () => {
    const client = await start({ quota: { everyoneElse: { perSecond: 0 } } });
    for (let i = 0; i < 5; i++) expect((await ask(client)).status).toBe(429);
  });
});
