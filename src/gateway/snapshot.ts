import type { ClientSnapshot } from '../client/index.js';
import type { GateState } from '../core/index.js';
import type { QuotaSnapshot } from '../quota/index.js';
import type { OverflowSnapshot, RuleSnapshot } from '../rate-limit/index.js';
import type { Guard, GuardSnapshot } from '../server/index.js';
import type { BatchSnapshot } from './batch/index.js';
import type { Generation } from './generation.js';
import { shownKey } from './limit-desk.js';
import type { RouteCounts } from './live-route.js';
import type { LogSnapshot } from './logging/index.js';
import type { GatewayRefusal } from './recent-refusals.js';
import type { GatewaySettings } from './settings/index.js';
import type { SharedState } from './shared-state.js';

/** What a route did, and who was refused there. */
export interface RouteSnapshot extends Readonly<RouteCounts> {
  readonly service: string;
  /** How often each limit said what, and to whom most. */
  readonly limits: Readonly<Record<string, RuleSnapshot>>;
  /** Who waits, and why at this pace; undefined for routes that are not for batches. */
  readonly batch: BatchSnapshot | undefined;
}

/** `draining` is a lame duck that will be gone. */
export type GatewayState = GateState | 'draining';

/** What a gateway does and why, as plain data. */
export interface GatewaySnapshot {
  readonly state: GatewayState;
  readonly guard: GuardSnapshot;
  readonly routes: Readonly<Record<string, RouteSnapshot>>;
  readonly services: Readonly<Record<string, ClientSnapshot>>;
  readonly quota: QuotaSnapshot | undefined;
  readonly queue: OverflowSnapshot | undefined;
  /** How often settings have changed. */
  readonly reloads: number;
  /** How often they could not. */
  readonly failedReloads: number;
  /** Requests that no route was for. */
  readonly unrouted: number;
  /** Connections beyond `overload.maxConnections`, closed as they came. */
  readonly refusedConnections: number;
  /** Some of those that were refused last after the guard had let them in, newest first: at most 50. */
  readonly recent: readonly GatewayRefusal[];
  /** Undefined: there is no log. */
  readonly log: LogSnapshot | undefined;
}

export function takeSnapshot(
  guard: Guard,
  { routes, services, settings }: Generation,
  { quota, queue }: SharedState,
  counts: Omit<GatewaySnapshot, 'guard' | 'routes' | 'services' | 'quota' | 'queue'>,
): GatewaySnapshot {
  return {
    guard: guard.snapshot(),
    routes: Object.fromEntries(
      routes.map(({ name, service, limits, batch, counts: own }) => [
        name,
        {
          service: service.name,
          ...own,
          limits: shownLimits(settings, limits?.snapshot()),
          batch: batch?.snapshot(),
        },
      ]),
    ),
    services: Object.fromEntries([...services].map(([name, { client }]) => [name, client.snapshot()])),
    quota: quota?.snapshot(),
    queue: queue?.snapshot(),
    ...counts,
  };
}

/** Without keys that are made of secrets. */
function shownLimits(
  settings: GatewaySettings,
  limits: RouteSnapshot['limits'] = {},
): RouteSnapshot['limits'] {
  return Object.fromEntries(
    Object.entries(limits).map(([rule, { busiest, ...counts }]) => [
      rule,
      { ...counts, busiest: busiest.map((each) => ({ ...each, key: shownKey(settings, rule, each.key) })) },
    ]),
  );
}
