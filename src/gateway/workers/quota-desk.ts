import {
  QuotaCoordinator,
  type QuotaCoordinatorSnapshot,
  type QuotaLevels,
  type QuotaLimits,
} from '../../core/index.js';
import { QUOTA_SETTINGS } from '../../quota/index.js';
import { coordinatorOptions } from '../../quota/quota-options.js';
import { type SentLevels, type SentUsage, sendLevels, usageOf } from './quota-messages.js';

/** There is one coordinator in the life of a primary. */
const TOKEN = 1;

/**
 * Quotas without Redis: the workers are a fleet, and the primary is its coordinator. A customer has its quota once, however
 * its connections are spread over the workers.
 */
export class QuotaDesk {
  readonly #coordinator: QuotaCoordinator;
  #version = 0;

  constructor(limits: QuotaLimits, workers: number, now: number) {
    this.#coordinator = new QuotaCoordinator(limits, coordinatorOptions(QUOTA_SETTINGS));
    this.#coordinator.begin(TOKEN, workers, now);
  }

  setLimits(limits: QuotaLimits): void {
    this.#coordinator.setLimits(limits);
  }

  /** One worker says what its customers use. */
  report(worker: number, usage: SentUsage, now: number): void {
    this.#coordinator.report(String(worker), usageOf(usage, ++this.#version), 0, now);
  }

  /** What all workers are to be told; undefined while it listens. */
  divide(now: number): SentLevels | undefined {
    const levels: QuotaLevels | undefined = this.#coordinator.divide(now);
    return levels && sendLevels(levels);
  }

  snapshot(now: number): QuotaCoordinatorSnapshot {
    return this.#coordinator.snapshot(now);
  }
}
