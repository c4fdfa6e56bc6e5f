import { EventEmitter } from 'node:events';
import { type QuotaCoordinatorSnapshot, type QuotaLimits, QuotaMember } from '../core/index.js';
import { heedless } from '../stores/redis/heedless.js';
import type { LinkOptions } from '../stores/redis/redis-link.js';
import { checkCustomers } from '../wire/index.js';
import type { CoordinatorCounts } from './coordinator-loop.js';
import { observeQuota } from './quota-metrics.js';
import { checkCoordinatorSettings, type QuotaCoordinatorSettings } from './quota-options.js';
import { QuotaPlace, type QuotaPlaceSnapshot } from './quota-place.js';

/** What a process knows that does nothing but coordinate. */
export interface DedicatedCoordinatorSnapshot {
  readonly service: string;
  readonly isCoordinator: boolean;
  /** Of its term. undefined: it is not coordinator. */
  readonly token: number | undefined;
  readonly redis: QuotaPlaceSnapshot;
  readonly counts: Readonly<CoordinatorCounts>;
  /** Of all backends together. undefined: it is not coordinator. */
  readonly fleet: QuotaCoordinatorSnapshot | undefined;
}

interface CoordinatorEvents {
  coordinator: [isCoordinator: boolean];
}

/** A process that serves no requests, and may be coordinator of a service. */
export class DedicatedCoordinator extends EventEmitter<CoordinatorEvents> {
  readonly service: string;
  #place: QuotaPlace | undefined = undefined;
  #stopMetrics = () => {};
  #isClosed = false;

  constructor({ service }: QuotaCoordinatorSettings) {
    super();
    this.service = service;
  }

  get isCoordinator(): boolean {
    return this.#place?.token !== undefined;
  }

  setLimits(limits: QuotaLimits): void {
    // They check them: nothing has changed if they are refused.
    new QuotaMember(limits);
    checkCustomers(limits.customers);
    this.#place?.loop?.setLimits(limits);
  }

  snapshot(): DedicatedCoordinatorSnapshot {
    const place = this.#place!;
    const { token } = place;
    return {
      service: this.service,
      isCoordinator: token !== undefined,
      token,
      redis: place.snapshot(),
      counts: { ...place.counts! },
      fleet: place.loop!.snapshot(),
    };
  }

  /** Another one may be coordinator at once. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopMetrics();
    await this.#place?.close();
    this.removeAllListeners();
  }

  /** Called by `createQuotaCoordinator`. */
  async join(redis: LinkOptions, settings: QuotaCoordinatorSettings): Promise<void> {
    this.#place = await QuotaPlace.open(redis, settings, true, (isCoordinator) => {
      if (!this.#isClosed) heedless(() => this.emit('coordinator', isCoordinator));
    });
    this.#stopMetrics = observeQuota(this);
    await this.#place.begin();
  }
}

/** For fleets whose backends should not do it themselves: start two or three, one of them coordinates. */
export async function createQuotaCoordinator(
  options: Partial<QuotaCoordinatorSettings> &
    Pick<QuotaCoordinatorSettings, 'service' | 'limits'> & { readonly redis: LinkOptions },
): Promise<DedicatedCoordinator> {
  const { redis, ...settings } = checkCoordinatorSettings(options);
  const coordinator = new DedicatedCoordinator(settings);
  try {
    await coordinator.join(redis, settings);
    return coordinator;
  } catch (error) {
    await coordinator.close();
    throw error;
  }
}
