import type { ClientSnapshot } from '../client/index.js';
import type { QuotaSnapshot } from '../quota/index.js';
import type { OverflowSnapshot, RuleCounts } from '../rate-limit/index.js';
import type { Guard, GuardSnapshot } from '../server/index.js';
import type { BatchSnapshot } from './batch/index.js';
import type { Generation } from './generation.js';
import type { RouteCounts } from './live-route.js';
import type { SharedState } from './shared-state.js';

export interface RouteSnapshot extends Readonly<RouteCounts> {
  readonly service: string;
  /** How often each limit said what. */
  readonly limits: Readonly<Record<string, Readonly<RuleCounts>>>;
  /** Who waits, and why at this pace; undefined for routes that are not for batches. */
  readonly batch: BatchSnapshot | undefined;
}

/** What a gateway does and why, as plain data. */
export interface GatewaySnapshot {
  readonly guard: GuardSnapshot;
  readonly routes: Readonly<Record<string, RouteSnapshot>>;
  readonly services: Readonly<Record<string, ClientSnapshot>>;
  readonly quota: QuotaSnapshot | undefined;
  readonly queue: OverflowSnapshot | undefined;
  /** How often settings have changed. */
  readonly reloads: number;
  /** Requests that no route was for. */
  readonly unrouted: number;
}

export function takeSnapshot(
  guard: Guard,
  { routes, services }: Generation,
  { quota, queue }: SharedState,
  counts: Pick<GatewaySnapshot, 'reloads' | 'unrouted'>,
): GatewaySnapshot {
  return {
    guard: guard.snapshot(),
    routes: Object.fromEntries(
      routes.map(({ name, service, limits, batch, counts: own }) => [
        name,
        { service: service.name, ...own, limits: limits?.snapshot() ?? {}, batch: batch?.snapshot() },
      ]),
    ),
    services: Object.fromEntries([...services].map(([name, { client }]) => [name, client.snapshot()])),
    quota: quota?.snapshot(),
    queue: queue?.snapshot(),
    ...counts,
  };
}
