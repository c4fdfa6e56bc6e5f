import type {
  AdaptiveThrottle,
  BackendState,
  LoadReport,
  LocalityRouterSnapshot,
  RetryBudgetState,
  ThrottleExplanation,
} from '../../core/index.js';
import type { Service } from '../service/service.js';
import type { ServiceGroup } from '../service/service-group.js';
import type { ClientCounts, ClientTally } from './client-tally.js';

/** One backend as a client sees it. */
export interface BackendSnapshot {
  readonly url: string;
  readonly zone: string | undefined;
  readonly state: BackendState;
  /** Requests sent there and not over. */
  readonly active: number;
  readonly connections: number;
  /** What share it should get, 1 for the largest; undefined where the policy has no weights. */
  readonly weight?: number | undefined;
  /** What it last said of its load. */
  readonly report: LoadReport | undefined;
  /** How its health is asked for, and what came of it. */
  readonly health: object | undefined;
}

/** What a client knows and does, as plain data. */
export interface ClientSnapshot {
  readonly service: string;
  readonly resolver: string;
  readonly resolverError: string | undefined;
  /** All that the resolver knows; `backends` are those in use. */
  readonly known: number;
  readonly backends: readonly BackendSnapshot[];
  readonly states: Readonly<Record<BackendState, number>>;
  readonly isPanicking: boolean;
  readonly active: number;
  readonly waiting: number;
  readonly throttle: readonly ThrottleExplanation[];
  readonly retryBudget: RetryBudgetState;
  readonly localities: LocalityRouterSnapshot | undefined;
  readonly counts: ClientCounts & { readonly resolverErrors: number };
}

/** So many of the throttle's statistics are shown: those used last. */
const MOST_THROTTLES = 50;

export function takeSnapshot(service: Service, tally: ClientTally): ClientSnapshot {
  const now = service.environment.monotonicMs();
  const backends = service.groups.flatMap((group) => backendsOf(service, group));
  const states = { connecting: 0, ready: 0, 'lame-duck': 0, unhealthy: 0, refusing: 0, ejected: 0 };
  let active = 0;
  for (const backend of backends) {
    states[backend.state]++;
    active += backend.active;
  }
  const waiting = service.groups.reduce((sum, group) => sum + group.waiting, service.held);
  return {
    service: service.settings.name,
    resolver: service.resolverName,
    resolverError: service.resolverError?.message,
    known: service.backendCount ?? 0,
    backends,
    states,
    isPanicking: service.groups.some((group) => group.roster.snapshot(now).isPanicking),
    active,
    waiting,
    throttle: throttlesIn(service.throttle, now),
    retryBudget: service.budget.explain(now),
    localities: service.routing?.router.snapshot(now),
    counts: { ...tally.counts(), resolverErrors: tally.resolverErrors },
  };
}

function backendsOf(service: Service, group: ServiceGroup): BackendSnapshot[] {
  return [...group.links].map((link) => {
    const backend = group.roster.get(link.key);
    return {
      url: link.key,
      zone: link.zone,
      state: backend?.state ?? link.connection,
      active: backend?.active ?? 0,
      connections: link.openConnections,
      weight: backend && group.picker.weightOf(backend),
      report: link.report,
      health: service.monitor?.snapshot(link.key),
    };
  });
}

export function throttlesIn(throttle: AdaptiveThrottle, now: number): ThrottleExplanation[] {
  const explained: ThrottleExplanation[] = [];
  for (const stats of throttle.recent()) {
    if (explained.length >= MOST_THROTTLES) break;
    explained.push(throttle.explain(stats, now));
  }
  return explained;
}
