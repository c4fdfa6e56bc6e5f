import { describe, expect, it } from 'vitest';
import { normaliseBackends } from '../backends.js';
import { EndpointSlices, MOST_SLICES, type SliceChoice } from './endpoint-slices.js';
import { readSlice, type Slice } from './slice.js';
import { sliceObject } from './slices.contract.js';

function slice(...given: Parameters<typeof sliceObject>): Slice {
  return readSlice(sliceObject(...given))!;
}

function slicesOf(slices: readonly Slice[], choice: Partial<SliceChoice> = {}): EndpointSlices {
  const all = new EndpointSlices({ protocol: 'http:', port: undefined, ...choice });
  all.replaceAll(slices);
  return all;
}

function urlsOf(slices: EndpointSlices): string[] {
  return slices.backends().map(({ url }) => url);
}

describe('slices', () => {
  it('are merged', () => {
    const slices = slicesOf([slice('a', 1, ['10.0.0.1']), slice('b', 2, ['10.0.0.2'])]);
    expect(urlsOf(slices)).toEqual(['http://10.0.0.1:8080', 'http://10.0.0.2:8080']);
  });

  it('are put, replaced and deleted one by one', () => {
    const slices = slicesOf([slice('a', 1, ['10.0.0.1'])]);
    slices.put(slice('b', 2, ['10.0.0.2']));
    slices.put(slice('a', 3, ['10.0.0.3']));
    expect(urlsOf(slices)).toEqual(['http://10.0.0.3:8080', 'http://10.0.0.2:8080']);
    slices.delete('a');
    slices.delete('never there');
    expect(urlsOf(slices)).toEqual(['http://10.0.0.2:8080']);
  });

  it('that a list does not have are gone', () => {
    const slices = slicesOf([slice('a', 1, ['10.0.0.1'])]);
    slices.replaceAll([slice('b', 2, ['10.0.0.2'])]);
    expect(urlsOf(slices)).toEqual(['http://10.0.0.2:8080']);
  });

  it('may share a backend for a while, and it is one', () => {
    const terminating = { addresses: ['10.0.0.1'], conditions: { ready: false, terminating: true } };
    const slices = slicesOf([slice('a', 1, [terminating]), slice('b', 2, ['10.0.0.1'])]);
    expect(normaliseBackends(slices.backends()).backends).toEqual([
      { url: 'http://10.0.0.1:8080', state: 'ready' },
    ]);
  });

  it('are bounded', () => {
    const many = Array.from({ length: MOST_SLICES + 1 }, (_, i) =>
      slice(`s${i}`, 1, [`10.1.${i >> 8}.${i & 255}`]),
    );
    const slices = slicesOf(many);
    slices.put(slice('more', 1, ['10.0.0.1']));
    expect(slices.backends()).toHaveLength(MOST_SLICES);
    slices.put(slice('s0', 2, []));
    expect(slices.backends()).toHaveLength(MOST_SLICES - 1);
  });
});

describe('a backend', () => {
  it('has zone, state and host', () => {
    const endpoint = { addresses: ['10.0.0.1'], zone: 'eu-1', conditions: { ready: false } };
    expect(slicesOf([slice('a', 1, [endpoint])], { protocol: 'https:' }).backends('orders.shop.svc')).toEqual(
      [{ url: 'https://10.0.0.1:8080', zone: 'eu-1', state: 'starting', host: 'orders.shop.svc' }],
    );
  });

  it('that takes nothing any more is left out', () => {
    const gone = { addresses: ['10.0.0.1'], conditions: { serving: false, terminating: true } };
    expect(slicesOf([slice('a', 1, [gone])]).backends()).toEqual([]);
  });

  it('may have an address of IPv6, or a name', () => {
    const six = slice('a', 1, ['2001:db8::1'], { addressType: 'IPv6' });
    const name = slice('b', 1, ['orders.example'], { addressType: 'FQDN' });
    expect(urlsOf(slicesOf([six, name]))).toEqual([
      'http://[2001:db8::1]:8080',
      'http://orders.example:8080',
    ]);
  });

  it('with addresses of both families is one backend', () => {
    const of = (address: string, uid: string) => ({ addresses: [address], targetRef: { uid } });
    const six = slice('a', 1, [of('2001:db8::1', 'one'), of('2001:db8::2', 'two')], { addressType: 'IPv6' });
    const four = slice('b', 1, [of('10.0.0.1', 'one')]);
    expect(urlsOf(slicesOf([six, four]))).toEqual(['http://[2001:db8::2]:8080', 'http://10.0.0.1:8080']);
  });
});

describe('the port', () => {
  const ports = [
    { name: 'http', port: 8080 },
    { name: 'metrics', port: 9090 },
  ];
  const two = slice('a', 1, ['10.0.0.1'], { ports });

  it.each([
    ['metrics', 'http://10.0.0.1:9090'],
    [8080, 'http://10.0.0.1:8080'],
  ])('is chosen by %j', (port, url) => {
    const slices = slicesOf([two], { port });
    expect(urlsOf(slices)).toEqual([url]);
    expect(slices.problem).toBeUndefined();
  });

  it.each([
    [undefined, 'one must be chosen'],
    ['grpc', 'not grpc'],
    [80, 'not 80'],
  ])('%j is not guessed', (port, problem) => {
    const slices = slicesOf([two], { port });
    expect(slices.backends()).toEqual([]);
    expect(slices.problem).toBe(`slice a has the ports http:8080, metrics:9090, ${problem}`);
    slices.delete('a');
    slices.backends();
    expect(slices.problem).toBeUndefined();
  });

  it('is not missed where there are no backends', () => {
    const slices = slicesOf([slice('a', 1, [], { ports: [] })], { port: 'http' });
    expect(slices.backends()).toEqual([]);
    expect(slices.problem).toBeUndefined();
  });
});
