import type { Client } from '../client/index.js';
import type { Quota } from '../quota/index.js';
import type { RateLimits } from '../rate-limit/index.js';
import type { Guard } from '../server/index.js';
import { BackendStates } from './backend-states.js';
import type { GatewayEvents } from './gateway-events.js';
import { ResolverStates } from './resolver-states.js';
import { type DecisionCounts, StoreStates } from './store-states.js';

/** Twice a second: what happens is told within one, also when a look comes late. */
const LOOK_MS = 500;

export interface EventParts {
  readonly guard: Guard;
  readonly quota: Quota | undefined;
  readonly services: () => Iterable<readonly [string, { readonly client: Pick<Client, 'snapshot'> }]>;
  readonly limits: () => readonly RateLimits[];
}

/** Tells of what the parts of a gateway, or of a server with a guard, do. Backends are only looked at while somebody listens. */
export class EventSources {
  readonly #events: GatewayEvents;
  readonly #parts: EventParts;
  readonly #backends = new BackendStates();
  readonly #resolvers = new ResolverStates();
  readonly #store = new StoreStates();
  readonly #timer: NodeJS.Timeout;
  readonly #stopGuard: () => void;

  constructor(events: GatewayEvents, parts: EventParts) {
    this.#events = events;
    this.#parts = parts;
    this.#stopGuard = parts.guard.onStateChange((state) => {
      if (state === 'lame-duck') events.emit({ kind: 'lame-duck' });
    });
    parts.quota?.on('coordinator', this.#onCoordinator);
    parts.quota?.on('stage', this.#onStage);
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stopGuard();
    this.#parts.quota?.off('coordinator', this.#onCoordinator);
    this.#parts.quota?.off('stage', this.#onStage);
  }

  readonly #onCoordinator = (isCoordinator: boolean): void =>
    this.#events.emit({ kind: 'quota-coordinator', isCoordinator });

  readonly #onStage = (stage: string): void => this.#events.emit({ kind: 'quota-stage', stage });

  #look(): void {
    if (!this.#events.hasListeners) return;
    const services = [...this.#parts.services()].map(([service, { client }]) => {
      const { backends, resolverError, known } = client.snapshot();
      return { service, backends, resolverError, known };
    });
    for (const change of this.#resolvers.changes(services))
      this.#events.emit({ kind: 'resolver', ...change });
    for (const change of this.#backends.changes(services)) this.#events.emit({ kind: 'backend', ...change });
    const isReachable = this.#store.change(decisionsOf(this.#parts.limits()));
    if (isReachable !== undefined) this.#events.emit({ kind: 'limit-store', isReachable });
  }
}

function decisionsOf(limits: readonly RateLimits[]): DecisionCounts {
  let decided = 0;
  let undecided = 0;
  for (const rule of limits.flatMap(({ metricSource }) => metricSource.ruleTotals())) {
    decided += rule.allowed + rule.refused + rule.shadowRefused + (rule.queued ?? 0);
    undecided += rule.undecided;
  }
  return { decided, undecided };
}
