import { describe, expect, it } from 'vitest';
import type { BackendState } from '../../../core/index.js';
import type { BalancerSnapshot } from './balancer-snapshot.js';
import { readingsOf } from './policy-metrics.js';

function channel(service: string, waiting: number, ...states: BackendState[]): BalancerSnapshot {
  const backends = states.map((state) => ({ address: '127.0.0.1:1', state, active: 0, weight: undefined }));
  return { service, policy: 'weighted', known: states.length, backends, waiting };
}

describe('readingsOf', () => {
  it('adds up the channels of a service, and keeps services apart', () => {
    const readings = readingsOf([
      channel('orders', 2, 'ready', 'ready', 'ejected'),
      channel('carts', 0, 'refusing'),
      channel('orders', 3, 'ready'),
    ]);
    expect(readings).toEqual([
      {
        service: 'orders',
        protocol: 'grpc',
        states: { connecting: 0, ready: 3, 'lame-duck': 0, unhealthy: 0, refusing: 0, ejected: 1 },
        waiting: 5,
      },
      {
        service: 'carts',
        protocol: 'grpc',
        states: { connecting: 0, ready: 0, 'lame-duck': 0, unhealthy: 0, refusing: 1, ejected: 0 },
        waiting: 0,
      },
    ]);
  });

  it('says nothing where there is no channel', () => {
    expect(readingsOf([])).toEqual([]);
  });
});
