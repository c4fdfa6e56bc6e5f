import { metrics } from '@opentelemetry/api';
import { type ClientReadings, registerMetrics } from '../../../client/observing/metrics.js';
import type { BackendState } from '../../../core/index.js';
import type { BalancerSnapshot } from './balancer-snapshot.js';

type Readings = ClientReadings & { readonly states: Record<BackendState, number>; waiting: number };

/** Channels of one service are one client of it: what each of them sees is added up. */
export function readingsOf(balancers: Iterable<BalancerSnapshot>): readonly ClientReadings[] {
  const byService = new Map<string, Readings>();
  for (const { service, backends, waiting } of balancers) {
    let sum = byService.get(service);
    if (sum === undefined) {
      const states = { connecting: 0, ready: 0, 'lame-duck': 0, unhealthy: 0, refusing: 0, ejected: 0 };
      sum = { service, protocol: 'grpc', states, waiting: 0 };
      byService.set(service, sum);
    }
    for (const { state } of backends) sum.states[state]++;
    sum.waiting += waiting;
  }
  return [...byService.values()];
}

/** Balancers that are in use, observed while there are any. */
export class LiveBalancers<B extends { snapshot(): BalancerSnapshot | undefined }> {
  readonly #live = new Set<B>();
  #stopMetrics: (() => void) | undefined = undefined;

  add(balancer: B): void {
    this.#live.add(balancer);
    this.#stopMetrics ??= registerMetrics(metrics.getMeter('plimsoll'), () => readingsOf(this.snapshot()));
  }

  delete(balancer: B): void {
    this.#live.delete(balancer);
    if (this.#live.size > 0) return;
    this.#stopMetrics?.();
    this.#stopMetrics = undefined;
  }

  snapshot(): readonly BalancerSnapshot[] {
    return [...this.#live].flatMap((balancer) => balancer.snapshot() ?? []);
  }
}
