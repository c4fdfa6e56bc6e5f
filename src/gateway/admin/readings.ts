import type { Meter } from '@opentelemetry/api';
import type { Client } from '../../client/index.js';
import { registerMetrics as registerClient } from '../../client/observing/metrics.js';
import type { Quota } from '../../quota/index.js';
import { observeQuota } from '../../quota/quota-metrics.js';
import type { RateLimits } from '../../rate-limit/index.js';
import { registerSum } from '../../rate-limit/observing/metrics.js';
import { SourceSum } from '../../rate-limit/observing/source-sum.js';
import type { Guard } from '../../server/index.js';
import { registerMetrics as registerGuard } from '../../server/observe/metrics.js';
import { ProcessMetrics } from './process-metrics.js';

/** Each has some thirty series; who has more services looks at them one by one, in the snapshot. */
const MOST_SERVICES = 200;

/** What there is to read, at one moment: it may change with settings. */
export interface ReadingParts {
  readonly guard: Guard;
  readonly clients: readonly Pick<Client, 'snapshot'>[];
  readonly limits: readonly RateLimits[];
  readonly quota: Quota | undefined;
  /** What only the owner of these parts knows. */
  readonly registerOwn?: (meter: Meter) => void;
}

/** All metrics of one process, for one meter at a time. What others have registered globally is not touched. */
export class Readings {
  readonly #parts: () => ReadingParts;
  readonly #process = new ProcessMetrics();
  /** Limits change with settings, and what the former ones have counted stays counted. */
  readonly #limits = new SourceSum();
  #known: ReadonlySet<RateLimits> = new Set();

  constructor(parts: () => ReadingParts) {
    this.#parts = parts;
  }

  /** As Prometheus reads them. */
  async text(): Promise<string> {
    // It brings a good part of OpenTelemetry's SDK along: whoever has no admin port does without.
    const { prometheusText } = await import('./prometheus.js');
    return await prometheusText((meter) => this.#register(meter));
  }

  close(): void {
    this.#process.close();
  }

  #register(meter: Meter): void {
    const { guard, clients, limits, quota, registerOwn } = this.#parts();
    this.#process.register(meter);
    registerOwn?.(meter);
    registerGuard(meter, guard);
    for (const client of clients.slice(0, MOST_SERVICES)) registerClient(meter, () => client.snapshot());
    this.#follow(new Set(limits));
    registerSum(meter, this.#limits);
    if (quota !== undefined) observeQuota(quota, meter);
  }

  #follow(now: ReadonlySet<RateLimits>): void {
    for (const limits of this.#known) if (!now.has(limits)) this.#limits.remove(limits.metricSource);
    for (const limits of now) if (!this.#known.has(limits)) this.#limits.add(limits.metricSource);
    this.#known = now;
  }
}
