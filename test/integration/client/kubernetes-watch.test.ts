import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type KubernetesResolverOptions,
  kubernetesResolver,
  type Resolver,
} from '../../../src/client/resolving/index.js';
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

describe('a watch', () => {
  it('that is cut in the middle of a line goes on from the last version: nothing lost, nothing twice', async () => {
    await followed();
    api.put('orders-b', ['10.0.0.2']);
    await until('one more', () => heard.urls?.length === 2);
    api.putAndCut('orders-c', ['10.0.0.3']);
    await until('the one that was cut', () => heard.urls?.length === 3);
    expect(api.watches.map((query) => query.get('resourceVersion'))).toEqual(['101', '102']);
    expect(api.lists).toHaveLength(1);
    expect(heard.lists.map((list) => list.length)).toEqual([1, 2, 3]);
  });

  it('goes on from the last bookmark', async () => {
    await followed();
    api.bookmark();
    // What was sent before the end arrives before it.
    api.endWatches();
    await until('another', () => api.watches.length === 2);
    expect(api.watches[1]!.get('resourceVersion')).toBe('1101');
  });

  it('whose version is too old is followed by a list', async () => {
    await followed();
    api.put('orders-b', ['10.0.0.2']);
    await until('one more', () => heard.urls?.length === 2);
    api.cutWatches();
    api.delete('orders-a');
    api.put('orders-c', ['10.0.0.3']);
    api.forgetHistory();
    await until('what happened meanwhile', () => heard.urls?.join() === [url(2), url(3)].join());
    expect(api.lists).toHaveLength(2);
  });

  it('that is answered with 410 is followed by a list', async () => {
    await followed();
    api.watchStatuses = [410];
    api.cutWatches();
    await until('a list', () => api.lists.length === 2);
    await until('a watch', () => api.openWatches === 1);
    expect(heard.errors.some(({ message }) => message.includes('refused with 410'))).toBe(true);
  });

  it('that ends is followed by another, without an error', async () => {
    await followed();
    api.endWatches();
    await until('another', () => api.watches.length === 2);
    expect(heard.errors).toEqual([]);
  });

  it('on which nothing comes is begun anew', async () => {
    await followed({ watchIdleMs: 100 });
    await until('another', () => api.watches.length >= 3);
    expect(heard.errors).toEqual([]);
    expect(api.lists).toHaveLength(1);
    expect(api.openWatches).toBeLessThanOrEqual(1);
  });

  it('on which something comes now and then goes on', async () => {
    await followed({ watchIdleMs: 1_000 });
    const beganMs = performance.now();
    while (performance.now() - beganMs < 1_500) {
      api.bookmark();
      await sleep(50);
    }
    expect(api.watches).toHaveLength(1);
  });

  it.each([
    ['nonsense', 'this is no event\n'],
    ['a line without end', `"${'x'.repeat(1_100_000)}"\n`],
  ])('with %s is followed by a list, and what was known holds', async (_, bytes) => {
    await followed();
    api.send(bytes);
    await until('a list', () => api.lists.length === 2);
    await until('a watch', () => api.openWatches === 1);
    // Told again after an error, and the same.
    expect(new Set(heard.lists.map((list) => JSON.stringify(list))).size).toBe(1);
    expect(heard.errors[0]!.message).toMatch(/^kubernetes orders: watch: /);
    api.put('orders-b', ['10.0.0.2']);
    await until('one more', () => heard.urls?.length === 2);
  });
});
