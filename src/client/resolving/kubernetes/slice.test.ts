import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSlice } from './slice.js';
import { sliceObject } from './slices.contract.js';

function stateOf(conditions: object | undefined): unknown {
  const endpoint = { addresses: ['10.0.0.1'], ...(conditions === undefined ? {} : { conditions }) };
  return readSlice(sliceObject('a', 1, [endpoint]))!.endpoints[0]!.state;
}

it.each([
  [undefined, 'ready'],
  [{}, 'ready'],
  [{ ready: true, serving: true, terminating: false }, 'ready'],
  [{ ready: false }, 'starting'],
  [{ ready: false, serving: false, terminating: false }, 'starting'],
  // A service that publishes addresses before they are ready.
  [{ ready: true, serving: false }, 'starting'],
  [{ ready: false, serving: true, terminating: true }, 'lame-duck'],
  [{ ready: false, terminating: true }, 'lame-duck'],
  [{ ready: false, serving: false, terminating: true }, undefined],
  [{ ready: null, serving: null, terminating: null }, 'ready'],
])('an endpoint with %j is %s', (conditions, state) => {
  expect(stateOf(conditions)).toBe(state);
});

describe('a slice', () => {
  it('is read, with what matters', () => {
    const endpoint = { addresses: ['10.0.0.1', '10.0.0.9'], zone: 'eu-1', targetRef: { uid: 'u' } };
    const ports = [{ port: 80 }, { name: 'dns', port: 53, protocol: 'UDP' }, { name: 'any' }];
    expect(readSlice(sliceObject('a', 7, [endpoint], { ports }))).toEqual({
      name: 'a',
      resourceVersion: '7',
      addressType: 'IPv4',
      ports: [{ name: '', port: 80 }],
      endpoints: [{ address: '10.0.0.1', zone: 'eu-1', state: 'ready', uid: 'u' }],
    });
  });

  it('may have no endpoints', () => {
    expect(readSlice(sliceObject('a', 7, [], { endpoints: null }))!.endpoints).toEqual([]);
  });

  it('is bounded', () => {
    const addresses = Array.from({ length: 1_001 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    expect(readSlice(sliceObject('a', 1, addresses))!.endpoints).toHaveLength(1_000);
  });

  it.each([
    undefined,
    null,
    7,
    'a',
    [],
    {},
    { metadata: {} },
    { metadata: { name: 'a', resourceVersion: '1' } },
  ])('is not %j', (object) => {
    expect(readSlice(object)).toBeUndefined();
  });

  it('of anything throws nothing', () => {
    const metadata = fc.constant({ name: 'a', resourceVersion: '1' });
    const value = fc.anything({ maxDepth: 1, maxKeys: 3 });
    const anything = fc.oneof(
      value,
      fc.array(fc.record({ addresses: value, port: value, conditions: value, targetRef: value }), {
        maxLength: 5,
      }),
    );
    const some = fc.record({
      metadata,
      addressType: fc.constant('IPv4'),
      ports: anything,
      endpoints: anything,
    });
    fc.assert(fc.property(some, (object) => readSlice(object)?.name === 'a'));
  });
});
