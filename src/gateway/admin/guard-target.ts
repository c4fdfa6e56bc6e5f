import type { Client } from '../../client/index.js';
import type { Quota } from '../../quota/index.js';
import type { RateLimits } from '../../rate-limit/index.js';
import type { Guard } from '../../server/index.js';
import { EventSources } from '../event-sources.js';
import { GatewayEvents } from '../gateway-events.js';
import { standing } from '../limit-desk.js';
import type { RouteSnapshot } from '../snapshot.js';
import { type AdminTarget, NothingThereError } from './admin-target.js';
import { readinessOf } from './gateway-target.js';
import { Readings } from './readings.js';
import { processReading, shown } from './shown.js';

/** What somebody has who runs a server of their own. */
export interface GuardParts {
  readonly guard: Guard;
  /** Clients of other services, by the names that people know those by. */
  readonly services?: Readonly<Record<string, Client>> | undefined;
  /** The one that the guard was given. */
  readonly quota?: Quota | undefined;
  readonly limits?: RateLimits | undefined;
}

export interface GuardTarget extends AdminTarget {
  /** Looks and measures no more. What it was made for goes on. */
  close(): void;
}

/** A server with a guard, as an admin port sees it. */
export function guardTarget(parts: GuardParts, onError: (error: unknown) => void): GuardTarget {
  const { guard, services = {}, quota, limits } = parts;
  const events = new GatewayEvents();
  const sources = new EventSources(events, {
    guard,
    quota,
    services: () => Object.entries(services).map(([name, client]) => [name, { client }] as const),
    limits: () => (limits === undefined ? [] : [limits]),
  });
  const readings = new Readings(() => ({
    guard,
    clients: Object.values(services),
    limits: limits === undefined ? [] : [limits],
    quota,
  }));
  let isDraining = false;
  const state = () => (isDraining && guard.state !== 'closed' ? 'draining' : guard.state);
  const has = (rule: string) => limits !== undefined && Object.hasOwn(limits.snapshot(), rule);
  return {
    snapshot: async () => ({
      process: processReading(),
      state: state(),
      services: Object.fromEntries(
        Object.entries(services).map(([name, client]) => [name, client.snapshot()]),
      ),
      ...(limits === undefined ? {} : { routes: { [EVERYTHING]: routeOf(limits) } }),
      ...shown({ guard: guard.snapshot(), quota: quota?.snapshot() }),
    }),
    metrics: () => readings.text(),
    readiness: () => readinessOf(state()),
    config: () => nothing('there is no file of settings: this is a server with a guard, and no gateway'),
    lameDuck: async () => guard.lameDuck(),
    drain: async () => {
      // Asked twice, it has begun.
      if (isDraining) return;
      isDraining = true;
      events.emit({ kind: 'drain' });
      new Promise((resolve) => resolve(guard.onDrainRequest())).catch(onError);
    },
    reload: () =>
      nothing('there are no settings to read anew: this is a server with a guard, and no gateway'),
    limit: async (rule, key) => {
      if (limits === undefined) return nothing(NO_LIMITS);
      if (!has(rule)) return undefined;
      const [next, now] = await Promise.all([limits.peek(rule, key), limits.peek(rule, key, 0)]);
      return { rule, key, decision: standing(next, now) };
    },
    resetLimit: async (rule, key) => {
      if (limits === undefined) return nothing(NO_LIMITS);
      if (!has(rule)) return false;
      await limits.reset(rule, key);
      return true;
    },
    queue: () => nothing('nothing waits for its turn here: a queue is what a gateway has'),
    onEvent: (listener) => events.on(listener),
    close: () => {
      sources.close();
      readings.close();
    },
  };
}

/** A server of one's own has one route as far as anybody knows here. */
const EVERYTHING = '*';

/** As a gateway shows it. */
function routeOf(limits: RateLimits): Omit<RouteSnapshot, 'service' | 'batch'> {
  const totals = limits.metricSource.ruleTotals();
  const most = (of: (rule: (typeof totals)[number]) => number) => Math.max(0, ...totals.map(of));
  return {
    // Rules are asked together: whoever is asked most has seen all of them.
    requests: most(
      ({ allowed, refused, shadowRefused, queued = 0 }) => allowed + refused + shadowRefused + queued,
    ),
    limited: totals.reduce((sum, { refused, queued = 0 }) => sum + refused + queued, 0),
    unknown: 0,
    unverified: 0,
    staleServed: 0,
    limits: limits.snapshot(),
  };
}

const NO_LIMITS = 'no rate limits were given to this port: openAdminFor({ guard, limits })';

function nothing(message: string): Promise<never> {
  return Promise.reject(new NothingThereError(message));
}
