import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../../src/client/index.js';
import { refusalHeaders } from '../../../src/wire/index.js';
import { until } from '../server/guarded-server.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { collectMetrics } from './collected-metrics.js';
import { Fleet, statesOf } from './fleet.js';
import { HandResolver } from './hand-resolver.js';

expectNoMishaps();

const fleet = new Fleet();
afterEach(() => fleet.stop());

/** Attempts are counted here: nothing else should send any, or hold any back. */
const PLAIN = { name: 'orders', health: false, throttle: false, retry: { budget: { ratio: 10 } } } as const;

/** `/refused` is shed, `/failed` is an error, `/broken` ends the connection, `/never` has no answer. */
async function aBackend() {
  return fleet.plain((req, res) => {
    if (req.url === '/refused') res.writeHead(503, refusalHeaders('task-overloaded')).end();
    else if (req.url === '/failed') res.writeHead(500).end();
    else if (req.url === '/broken') res.destroy();
    else if (req.url !== '/never') res.end('ok');
  });
}

/** A client of one backend, and the backend. */
async function aClient(options: Partial<ClientOptions> = {}) {
  const backend = await aBackend();
  const client = fleet.client({ ...PLAIN, backends: [backend.url], ...options });
  await until(() => client.snapshot().states.ready === 1);
  const get = async (path: string, init: Parameters<typeof client.fetch>[1] = {}) => {
    await client.fetch(path, init).then(
      (answer) => answer.text(),
      () => {},
    );
    await until(() => client.snapshot().states.ready === 1);
  };
  return { backend, client, get };
}

describe('metrics of OpenTelemetry', () => {
  const seriesOf = collectMetrics();

  /** All series of an instrument, as they are now, by one label. */
  const collect = async (name: string, label: string): Promise<Record<string, number>> => {
    const series = await seriesOf(`plimsoll.client.${name}`);
    for (const { labels } of series) expect(labels).toEqual({ service: 'orders', [label]: labels[label] });
    return Object.fromEntries(series.map(({ labels, value }) => [labels[label], value]));
  };

  test('say what became of requests and attempts', async () => {
    const { client, get } = await aClient();
    await get('/');
    await get('/', { criticality: 'SHEDDABLE' });
    await get('/refused');
    await get('/failed', { method: 'POST' });
    expect(await collect('requests', 'criticality')).toEqual({
      SHEDDABLE: 1,
      SHEDDABLE_PLUS: 0,
      CRITICAL: 3,
      CRITICAL_PLUS: 0,
    });
    expect(await collect('attempts', 'outcome')).toMatchObject({
      answered: 2,
      'task-overloaded': 3,
      failed: 1,
      broken: 0,
    });
    expect(await collect('attempts.by_number', 'number')).toEqual({ 1: 4, 2: 1, 3: 1 });
    expect(await collect('rejected', 'code')).toEqual({ PLIMSOLL_OVERLOADED: 1 });
    expect(await collect('backends', 'state')).toMatchObject({ ready: 1, refusing: 0 });
    const abort = new AbortController();
    const running = client.fetch('/never', { signal: abort.signal }).catch(() => {});
    await until(() => client.snapshot().active === 1);
    expect(await collect('active', 'kind')).toEqual({ active: 1, waiting: 0 });
    abort.abort();
    await running;
    expect(await collect('active', 'kind')).toEqual({ active: 0, waiting: 0 });
  });

  test('end with the client', async () => {
    const { client, get } = await aClient();
    await get('/');
    await client.close();
    expect(await collect('requests', 'criticality')).toEqual({});
  });
});

describe('diagnostics channels', () => {
  const NAMES = ['attempt', 'outcome', 'end', 'backend-state', 'resolver-error'];
  const told: { name: string; message: Record<string, unknown> }[] = [];
  const note = (message: unknown, name: string | symbol) => {
    told.push({ name: String(name).split(':')[2]!, message: message as Record<string, unknown> });
  };
  beforeEach(() => {
    told.length = 0;
    for (const name of NAMES) subscribe(`plimsoll:client:${name}`, note);
  });
  afterEach(() => {
    for (const name of NAMES) unsubscribe(`plimsoll:client:${name}`, note);
  });

  /** What was told over some of them, as far as it is looked at. */
  const of = (names: string[], ...fields: string[]) =>
    told
      .filter(({ name }) => names.includes(name))
      .map(({ name, message }) => [
        name,
        ...fields.map((field) => message[field]).filter((each) => each !== undefined),
      ]);

  test('tell of each attempt, how it ended, and how the request did', async () => {
    const { backend, get } = await aClient({ retry: { maxAttempts: 2, budget: { ratio: 10 } } });
    await get('/');
    await get('/refused');
    const { url } = backend;
    expect(of(['attempt', 'outcome', 'end'], 'backend', 'attempt', 'outcome', 'status')).toEqual([
      ['attempt', url, 1],
      ['outcome', url, 'answered', 200],
      ['end'],
      ['attempt', url, 1],
      ['outcome', url, 'task-overloaded', 503],
      ['attempt', url, 2],
      ['outcome', url, 'task-overloaded', 503],
      ['end'],
    ]);
    const ends = told.filter(({ name }) => name === 'end').map(({ message }) => message);
    expect(ends).toMatchObject([
      { service: 'orders', error: undefined, request: { criticality: 'CRITICAL', attempts: 1 } },
      { service: 'orders', error: { code: 'PLIMSOLL_OVERLOADED' }, request: { attempts: 2 } },
    ]);
    for (const { message } of told)
      if (message['latencyMs'] !== undefined) expect(message['latencyMs']).toBeGreaterThanOrEqual(0);
  });

  test('tell one outcome of every attempt, also when the caller is to blame or gives up', async () => {
    const { client, get } = await aClient();
    const body = Readable.from(
      (async function* () {
        yield 'a';
        throw new Error('the disk is gone');
      })(),
    );
    await expect(client.request('/', { method: 'PUT', body })).rejects.toThrow('the disk is gone');
    await expect(client.request('/', { method: 'NO SUCH' as 'GET' })).rejects.toThrow('method');
    const abort = new AbortController();
    const running = client.fetch('/never', { signal: abort.signal }).catch(() => {});
    await until(() => client.snapshot().active === 1);
    abort.abort();
    await running;
    await get('/broken', { method: 'POST' });
    const attempts = of(['attempt']).length;
    expect(of(['outcome'], 'outcome')).toEqual([
      ['outcome', 'aborted'],
      ['outcome', 'aborted'],
      ['outcome', 'aborted'],
      ['outcome', 'broken'],
    ]);
    expect(attempts).toBe(4);
    expect(of(['end'])).toHaveLength(4);
    const { active, counts } = client.snapshot();
    expect(active).toBe(0);
    expect(counts.outcomes).toMatchObject({ aborted: 3, broken: 1 });
  });

  test('tell how backends come and go, and what the resolver could not do', async () => {
    const backend = await aBackend();
    const resolver = new HandResolver([backend.url]);
    const client = fleet.client({ ...PLAIN, backends: resolver });
    await until(() => statesOf(client)[backend.url] === 'ready');
    resolver.fail('no such name');
    await backend.stop();
    await until(() => statesOf(client)[backend.url] === 'refusing');
    const states = told.filter(({ name }) => name === 'backend-state').map(({ message }) => message['state']);
    expect(states[0]).toBe('ready');
    expect(states.at(-1)).toBe('refusing');
    const errors = told.filter(({ name }) => name === 'resolver-error').map(({ message }) => message);
    expect(errors).toMatchObject([{ service: 'orders', error: { message: 'no such name' } }]);
    await backend.listen();
    fleet.owns(() => backend.stop());
    await until(() => statesOf(client)[backend.url] === 'ready');
  });
});

describe('a snapshot', () => {
  test('is plain data, which nothing changes afterwards', async () => {
    const near = await aBackend();
    const far = await fleet.guarded((_req, res) => void res.end('ok'));
    const client = fleet.client({
      name: 'orders',
      backends: [
        { url: near.url, zone: 'near' },
        { url: far.url, zone: 'far' },
      ],
      localities: { own: 'near' },
      clientId: 0,
    });
    await until(() => client.snapshot().states.ready === 2);
    for (const path of ['/', '/failed', '/refused'])
      await client.fetch(path).then(
        (answer) => answer.text(),
        () => {},
      );
    const snapshot = client.snapshot();
    expect(snapshot).toMatchObject({ service: 'orders', known: 2, counts: { requests: { CRITICAL: 3 } } });
    expect(snapshot.localities).toBeDefined();
    expect(snapshot.throttle.length).toBeGreaterThan(0);
    expect(structuredClone(snapshot)).toEqual(snapshot);
    const text = JSON.stringify(snapshot);
    expect(JSON.parse(text)).toEqual(snapshot);
    for (let i = 0; i < 5; i++) await (await client.fetch('/')).text();
    expect(JSON.stringify(snapshot)).toBe(text);
    expect(client.snapshot().counts.answered).toBe(snapshot.counts.answered + 5);
  });
});
