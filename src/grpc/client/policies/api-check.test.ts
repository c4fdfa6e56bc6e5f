import * as grpc from '@grpc/grpc-js';
import { describe, expect, it, vi } from 'vitest';
import type { Grpc } from './grpc-api.js';
import { registerPolicies } from './register-policies.js';

/** Grpc-js with a part of it changed, as a later version might. */
function changed(experimental: object, rest: object = {}): Grpc {
  const registered = vi.fn();
  return {
    ...grpc,
    ...rest,
    experimental: { ...grpc.experimental, registerLoadBalancerType: registered, ...experimental },
  } as unknown as Grpc;
}

describe('registerPolicies', () => {
  it('registers four policies with the grpc-js that there is', () => {
    const policies = registerPolicies(grpc);
    expect(policies).toMatchObject({
      names: ['plimsoll_round_robin', 'plimsoll_least_loaded', 'plimsoll_weighted', 'plimsoll_prequal'],
      isFallback: false,
    });
    for (const name of policies.names)
      expect(grpc.experimental.isLoadBalancerNameRegistered(name)).toBe(true);
    // What it was tried on is gone.
    expect(policies.snapshot()).toEqual([]);
  });

  const { LeafLoadBalancer } = grpc.experimental;

  it.each<[string, object, object, string]>([
    [
      'a function that is gone',
      { LeafLoadBalancer: undefined },
      {},
      '`experimental.LeafLoadBalancer` is no function',
    ],
    [
      'other numbers',
      { PickResultType: { COMPLETE: 1, QUEUE: 2, TRANSIENT_FAILURE: 3 } },
      {},
      'results of a pick are 1,2,3',
    ],
    [
      'addresses without errors, as before 1.14',
      { statusOrFromValue: undefined },
      {},
      '`experimental.statusOrFromValue` is no function',
    ],
    [
      'connections that nothing can be asked over',
      { BaseSubchannelWrapper: class {} },
      {},
      'a connection has no channel of its own',
    ],
    ['other states', {}, { connectivityState: { READY: 1 } }, 'connectivity states are'],
    [
      'a leaf that never connects',
      {
        LeafLoadBalancer: class extends LeafLoadBalancer {
          override startConnecting(): void {}
        },
      },
      {},
      'a connection that is ready makes the channel 1',
    ],
    [
      'a leaf that does not let go',
      {
        LeafLoadBalancer: class extends LeafLoadBalancer {
          override destroy(): void {}
        },
      },
      {},
      'a connection is not let go of',
    ],
    [
      'metadata that copies its options',
      {},
      {
        Metadata: class extends grpc.Metadata {
          override clone(): grpc.Metadata {
            return new grpc.Metadata({});
          }
        },
      },
      'a clone of metadata has other options',
    ],
  ])('refuses %s, and says which versions it was made for', (_, experimental, rest, what) => {
    const other = changed(experimental, rest);
    expect(() => registerPolicies(other)).toThrow(what);
    expect(() => registerPolicies(other)).toThrow(
      /^@grpc\/grpc-js 1\.\d+\.\d+ is not as the policies need it/,
    );
    expect(other.experimental.registerLoadBalancerType).not.toHaveBeenCalled();
  });

  it('refuses what is no grpc-js at all, and does not take it for the one that is installed', () => {
    expect(() => registerPolicies({} as Grpc)).toThrow('there is no `experimental`');
    expect(() => registerPolicies({} as Grpc)).toThrow(
      /^the @grpc\/grpc-js that was given, which is another one than the 1\.\d+\.\d+ that is found here,/,
    );
    expect(() => registerPolicies(grpc, { onMismatch: 'ignore' as 'throw' })).toThrow(
      'onMismatch must be one of',
    );
  });

  it('falls back to round_robin when told to, and says so', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const other = changed({ PickResultType: {} });
    const policies = registerPolicies(other, { onMismatch: 'round_robin' });
    expect(policies).toMatchObject({ isFallback: true });
    expect(warned.mock.calls[0]![1]).toMatchObject({ code: 'PLIMSOLL_GRPC_MISMATCH' });
    warned.mockRestore();
    const registered = vi.mocked(other.experimental.registerLoadBalancerType).mock.calls;
    expect(registered.map(([name]) => name)).toEqual([...policies.names]);
    expect(registered[0]![2].createFromJson({ subset: false }).getLoadBalancerName()).toBe('round_robin');
  });
});
