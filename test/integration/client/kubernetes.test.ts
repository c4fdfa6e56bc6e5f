import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type KubernetesResolverOptions,
  kubernetesResolver,
  type Resolver,
} from '../../../src/client/resolving/index.js';
import { eventLine, sliceObject } from '../../../src/client/resolving/kubernetes/slices.contract.js';
import { Heard } from '../../../src/client/resolving/listener.contract.js';
import { KubernetesApi } from './kubernetes-api.js';
import { until } from './until.js';

let api: KubernetesApi;
let resolver: Resolver;
let heard: Heard;

const FAST = { retryMinMs: 40, retryMaxMs: 200 };

beforeEach(async () => {
  api = await KubernetesApi.start();
  heard = new Heard();
});

afterEach(async () => {
  resolver.close();
  // Nothing is left, whatever the test did.
  await until('no sockets', () => api.sockets === 0);
  await api.close();
});

function follow(options: Partial<KubernetesResolverOptions> = {}): void {
  const given = { service: 'orders', namespace: 'shop', apiServer: api.url, ...FAST, ...options };
  resolver = kubernetesResolver(given);
  resolver.start(heard);
}

async function followed(options: Partial<KubernetesResolverOptions> = {}): Promise<void> {
  api.put('orders-a', ['10.0.0.1']);
  follow(options);
  await until('a watch', () => api.openWatches === 1 && heard.lists.length === 1);
}

function url(last: number): string {
  return `http://10.0.0.${last}:8080`;
}

describe('the pods of a service', () => {
  it('are listed, then watched', async () => {
    api.put('orders-a', [{ addresses: ['10.0.0.1'], zone: 'eu-1' }, '10.0.0.2']);
    follow();
    await until('a watch', () => api.openWatches === 1);
    expect(heard.lists).toEqual([
      [
        { url: url(1), zone: 'eu-1', state: 'ready' },
        { url: url(2), state: 'ready' },
      ],
    ]);
    expect(api.paths[0]).toBe('/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices');
    expect(api.lists[0]!.get('labelSelector')).toBe('kubernetes.io/service-name=orders');
    expect(Object.fromEntries(api.watches[0]!)).toMatchObject({
      allowWatchBookmarks: 'true',
      resourceVersion: '101',
      timeoutSeconds: '300',
    });
  });

  it('come, change and go', async () => {
    await followed();
    api.put('orders-b', ['10.0.0.2']);
    await until('one more', () => heard.urls?.length === 2);
    api.put('orders-a', [
      { addresses: ['10.0.0.1'], conditions: { ready: false, serving: true, terminating: true } },
    ]);
    await until('a lame duck', () => heard.lists.at(-1)![0]!.state === 'lame-duck');
    api.delete('orders-a');
    await until('one', () => heard.urls?.length === 1);
    api.delete('orders-b');
    await until('none', () => heard.urls?.length === 0);
    expect(heard.lists).toHaveLength(5);
    expect(heard.errors).toEqual([]);
    expect([api.lists.length, api.watches.length]).toEqual([1, 1]);
  });

  it('are listed page by page', async () => {
    for (let i = 1; i <= 5; i++) api.put(`orders-${i}`, [`10.0.0.${i}`]);
    api.pageSize = 2;
    follow();
    await until('all', () => heard.urls?.length === 5);
    expect(api.lists.map((query) => query.get('continue'))).toEqual([null, '2', '4']);
    expect(heard.lists).toHaveLength(1);
  });

  it('are told with names in UTF-8 that chunks cut through', async () => {
    await followed();
    const line = Buffer.from(eventLine('ADDED', sliceObject('zürich', 102, ['10.0.0.2'])));
    const at = line.indexOf('ü') + 1;
    api.send(line.subarray(0, at));
    await sleep(30);
    expect(heard.lists).toHaveLength(1);
    api.send(line.subarray(at));
    await until('both', () => heard.urls?.length === 2);
  });

  it('without a port that fits are reported, and what was known holds', async () => {
    await followed({ port: 'http' });
    api.put('orders-a', ['10.0.0.1'], { ports: [{ name: 'grpc', port: 9000 }] });
    await until('an error', () => heard.errors.length === 1);
    expect(heard.errors[0]!.message).toContain('grpc:9000');
    expect(heard.lists).toHaveLength(1);
  });
});

describe('an API server', () => {
  it('that fails is asked less and less, and what was known holds', async () => {
    await followed({ retryMinMs: 50, retryMaxMs: 60_000 });
    api.watchStatuses = Array(100).fill(500);
    const beganMs = performance.now();
    api.cutWatches();
    // The cut, and four refusals: half of 50, 100, 200 and 400 at least.
    await until('errors', () => heard.errors.length >= 5);
    expect(performance.now() - beganMs).toBeGreaterThan(370);
    expect(api.watches.length + api.lists.length).toBeLessThanOrEqual(7);
    expect(heard.lists).toHaveLength(1);
  });

  it.each([
    ['says no', { listStatuses: [403, 500] }],
    ['talks nonsense', { listBody: '{"kind":"Cat"}' }],
  ])('that %s is asked again', async (_, fault) => {
    api.put('orders-a', ['10.0.0.1']);
    Object.assign(api, fault);
    follow();
    await until('errors', () => heard.errors.length >= 2);
    expect(heard.lists).toEqual([]);
    api.listBody = undefined;
    await until('a list', () => heard.lists.length === 1);
  });

  it('is given the token as it is in the file now', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-'));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'first\n');
    await followed({ tokenFile });
    await writeFile(tokenFile, 'second\n');
    api.endWatches();
    await until('another watch', () => api.watches.length === 2);
    expect(api.tokens).toEqual(['Bearer first', 'Bearer first', 'Bearer second']);
    await rm(folder, { recursive: true });
  });

  it('that does not answer is given up', async () => {
    api.isSilent = true;
    follow({ timeoutMs: 100 });
    await until('errors', () => heard.errors.length >= 2);
    expect(heard.errors[0]!.message).toBe('kubernetes orders: no answer within 100 ms');
    expect(api.lists).toEqual([]);
  });
});

describe('asked to look again', () => {
  it('it lists once, however often it is asked', async () => {
    await followed({ refreshGapMs: 300 });
    await sleep(310);
    for (let i = 0; i < 1_000; i++) resolver.refresh();
    await until('a list', () => api.lists.length === 2);
    await until('a watch', () => api.openWatches === 1 && api.watches.length === 2);
    expect(api.lists).toHaveLength(2);
    expect(heard.errors).toEqual([]);
    expect(heard.lists).toHaveLength(1);
  });

  it('it does not soon after it has listed', async () => {
    await followed();
    for (let i = 0; i < 1_000; i++) resolver.refresh();
    await sleep(100);
    expect([api.lists.length, api.watches.length]).toEqual([1, 1]);
  });
});

it('tells and asks nothing after it was closed', async () => {
  await followed();
  resolver.close();
  resolver.close();
  resolver.refresh();
  api.put('orders-b', ['10.0.0.2']);
  await until('no sockets', () => api.sockets === 0);
  await sleep(100);
  expect([api.lists.length, api.watches.length]).toEqual([1, 1]);
  expect(heard.lists).toHaveLength(1);
  expect(heard.errors).toEqual([]);
});
