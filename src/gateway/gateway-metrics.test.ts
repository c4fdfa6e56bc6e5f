import { describe, expect, it } from 'vitest';
import { prometheusText } from './admin/prometheus.js';
import { parsePrometheus, seriesValue } from './admin/prometheus-text.contract.js';
import { registerGatewayMetrics } from './gateway-metrics.js';
import type { GatewaySnapshot } from './snapshot.js';

function snapshot(routes: number, own: object = {}): GatewaySnapshot {
  const counts = {
    service: 's',
    requests: 2,
    limited: 1,
    unknown: 0,
    unverified: 0,
    staleServed: 1,
    limits: {},
  };
  const all = Array.from({ length: routes }, (_, i) => [`r${i}`, { ...counts, batch: undefined }]);
  return {
    state: 'ready',
    routes: Object.fromEntries(all),
    services: {},
    quota: undefined,
    queue: undefined,
    reloads: 3,
    failedReloads: 1,
    unrouted: 7,
    refusedConnections: 4,
    ...own,
  } as unknown as GatewaySnapshot;
}

const read = async (now: GatewaySnapshot) =>
  parsePrometheus(await prometheusText((meter) => registerGatewayMetrics(meter, { snapshot: () => now })));

describe('metrics of a gateway', () => {
  it('are of its routes, settings and state', async () => {
    const found = await read(snapshot(2));
    expect(seriesValue(found, 'plimsoll_gateway_route_requests_total', { route: 'r1' })).toBe(2);
    const limited = { route: 'r1', reason: 'limited' };
    expect(seriesValue(found, 'plimsoll_gateway_route_refused_total', limited)).toBe(1);
    expect(seriesValue(found, 'plimsoll_gateway_route_stale_total', { route: 'r0' })).toBe(1);
    expect(seriesValue(found, 'plimsoll_gateway_unrouted_total')).toBe(7);
    expect(seriesValue(found, 'plimsoll_gateway_connections_refused_total')).toBe(4);
    expect(seriesValue(found, 'plimsoll_gateway_reloads_total', { outcome: 'ok' })).toBe(3);
    expect(seriesValue(found, 'plimsoll_gateway_reloads_total', { outcome: 'failed' })).toBe(1);
    expect(seriesValue(found, 'plimsoll_gateway_ready')).toBe(1);
    expect(found.has('plimsoll_gateway_queue_requests_total')).toBe(false);
  });

  it('say when nobody should come any more, and what waits', async () => {
    const queue = { accepted: 5, refused: 1, performed: 3, deadLetters: 1, rescheduled: 0, waiting: 2 };
    const found = await read(snapshot(1, { state: 'draining', queue }));
    expect(seriesValue(found, 'plimsoll_gateway_ready')).toBe(0);
    expect(seriesValue(found, 'plimsoll_gateway_queue_requests_total', { outcome: 'dead' })).toBe(1);
    expect(seriesValue(found, 'plimsoll_gateway_queue_waiting')).toBe(2);
  });

  it('stay bounded, however many routes there are', async () => {
    const found = await read(snapshot(5_000));
    const { samples } = found.get('plimsoll_gateway_route_requests_total')!;
    expect(samples).toHaveLength(201);
    expect(samples.at(-1)).toMatchObject({ labels: { route: '(other)' }, value: 2 * 4_800 });
  });
});
