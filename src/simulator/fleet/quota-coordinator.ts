import { divideQuota, type QuotaLimits } from '../../core/quota/index.js';
import { Event } from '../kernel/event.js';
import type { SimulatedBackend } from './simulated-backend.js';
import type { SimulatedService } from './simulated-service.js';
import type { QuotaSpec } from './spec/index.js';
import type { World } from './world.js';

/** Adds up what every backend's customers used and wanted, and tells every backend what each may use there. */
export class QuotaCoordinator extends Event {
  readonly #service: SimulatedService;
  readonly #world: World;
  readonly #quota: QuotaSpec;
  readonly #perSecond: ReadonlyMap<string, number>;

  constructor(service: SimulatedService, quota: QuotaSpec, world: World) {
    super();
    this.#service = service;
    this.#quota = quota;
    this.#perSecond = new Map(Object.entries(quota.customers));
    this.#world = world;
  }

  start(): void {
    this.#world.kernel.after(this.#quota.everyMs, this);
  }

  happen(now: number): void {
    this.#world.kernel.after(this.#quota.everyMs, this);
    const backends = this.#service.backends.filter(({ lifecycle }) => lifecycle.stage === 'up');
    const usages = backends.map((backend) => usageOf(backend, now));
    const customers = new Set([...this.#perSecond.keys(), ...usages.flatMap((use) => [...use.keys()])]);
    const divided = [...customers].map((customer) => {
      const perSecond = this.#perSecond.get(customer) ?? this.#quota.everyoneElse;
      const parts = divideQuota(
        perSecond,
        usages.map((use) => use.get(customer) ?? 0),
      );
      return { customer, parts };
    });
    for (const [at, backend] of backends.entries()) {
      const limits: QuotaLimits = {
        customers: divided.map(({ customer, parts }) => ({ customer, perSecond: parts[at]! })),
        everyoneElse: { perSecond: this.#quota.everyoneElse / backends.length },
      };
      backend.process.guard.quota!.setLimits(limits);
    }
  }
}

/** What each customer wants of a backend, in CPU-seconds a second. */
function usageOf(backend: SimulatedBackend, now: number): Map<string, number> {
  const { customers } = backend.process.guard.quota!.usage(backend.clock.toLocal(now));
  return new Map(customers.map(({ customer, demandPerSecond }) => [customer, demandPerSecond]));
}
