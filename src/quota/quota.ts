import { EventEmitter } from 'node:events';
import {
  QUOTA_MEMBER_DEFAULTS,
  type QuotaCoordinatorSnapshot,
  type QuotaEnforcement,
  type QuotaLevels,
  type QuotaLimits,
  QuotaMember,
  type QuotaMemberSnapshot,
  type QuotaStage,
  type UsageReport,
} from '../core/index.js';
import { heedless } from '../stores/redis/heedless.js';
import { createSubscriber } from '../stores/redis/redis-subscriber.js';
import { checkCustomers } from '../wire/index.js';
import type { CoordinatorCounts } from './coordinator-loop.js';
import { MemberLoop } from './member-loop.js';
import { observeQuota } from './quota-metrics.js';
import { backendName, checkQuotaSettings, type QuotaEnforce, type QuotaSettings } from './quota-options.js';
import { QuotaPlace, type QuotaPlaceSnapshot } from './quota-place.js';
import type { ReportCounts } from './report-turns.js';

/** What this backend does and why, as plain data. */
export interface QuotaSnapshot extends QuotaMemberSnapshot {
  readonly service: string;
  readonly unit: string;
  readonly isCoordinator: boolean;
  /** undefined without Redis. */
  readonly redis: QuotaPlaceSnapshot | undefined;
  readonly counts: Readonly<ReportCounts> | undefined;
  readonly coordinatorCounts: Readonly<CoordinatorCounts> | undefined;
  /** Of all backends together, as long as this process is coordinator. */
  readonly fleet: QuotaCoordinatorSnapshot | undefined;
}

interface QuotaEvents {
  stage: [stage: QuotaStage];
  coordinator: [isCoordinator: boolean];
}

/**
 * What customers may use of a service, on all its backends together. Give it to the guard: `createGuard({ quota })`. No
 * request ever waits for anything here.
 */
export class Quota extends EventEmitter<QuotaEvents> {
  readonly service: string;
  readonly unit: string;
  readonly enforce: QuotaEnforce;
  readonly #member: QuotaMember;
  readonly #stopMetrics: () => void;
  #loop: MemberLoop | undefined = undefined;
  #place: QuotaPlace | undefined = undefined;
  #stage: QuotaStage = 'alone';
  #isClosed = false;

  constructor({ service, unit, enforce, limits, member }: QuotaSettings) {
    super();
    this.service = service;
    this.unit = unit;
    this.enforce = enforce;
    this.#member = new QuotaMember(limits, member);
    checkCustomers(limits.customers);
    this.#stopMetrics = observeQuota(this);
  }

  /** What the guard asks. */
  get enforcement(): QuotaEnforcement {
    return this.#member.enforcement;
  }

  get stage(): QuotaStage {
    return this.#stage;
  }

  get isCoordinator(): boolean {
    return this.#place?.token !== undefined;
  }

  /** Other limits from now on. All backends and coordinators should be told, in any order. */
  setLimits(limits: QuotaLimits): void {
    checkCustomers(limits.customers);
    // It checks them: nothing has changed if they are refused.
    this.#member.setLimits(limits);
    this.#place?.loop?.setLimits(limits);
  }

  /** For a coordinator that is reached in another way than by Redis: what to tell it now. Overwritten by the next one. */
  report(now: number): UsageReport {
    if (this.#loop !== undefined) throw new Error('this quota reports to Redis, by itself');
    this.#member.tick(now);
    this.#noteStage();
    return this.#member.report(now);
  }

  /** What such a coordinator says. */
  hear(levels: QuotaLevels, now: number): void {
    this.#member.hear(levels, now);
    this.#noteStage();
  }

  snapshot(): QuotaSnapshot {
    return {
      ...this.#member.snapshot(performance.now()),
      service: this.service,
      unit: this.unit,
      isCoordinator: this.isCoordinator,
      redis: this.#place?.snapshot(),
      counts: this.#loop === undefined ? undefined : { ...this.#loop.counts },
      coordinatorCounts: this.#place?.counts === undefined ? undefined : { ...this.#place.counts },
      fleet: this.#place?.loop?.snapshot(),
    };
  }

  /** Reports no more. What it enforces stays as it is now. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopMetrics();
    this.#loop?.close();
    await this.#place?.close();
    this.removeAllListeners();
  }

  /** Called by `createQuota`. */
  async join(settings: QuotaSettings): Promise<void> {
    const { redis, everyMs, coordinates } = settings;
    if (redis === undefined) return;
    const place = await QuotaPlace.open(redis, settings, coordinates, (isCoordinator) => {
      if (!this.#isClosed) heedless(() => this.emit('coordinator', isCoordinator));
    });
    this.#place = place;
    const loop = new MemberLoop({
      member: this.#member,
      backend: backendName(settings),
      everyMs,
      ages: { ...QUOTA_MEMBER_DEFAULTS, ...settings.member },
      random: Math.random,
      onTurn: () => this.#noteStage(),
    });
    const subscriber = await createSubscriber(redis, place.exchange.channel, (bytes) => loop.hear(bytes));
    this.#loop = loop;
    loop.start(place.exchange, subscriber);
    await place.begin();
    // A process that has nothing else to do ends, whether or not it has closed this.
    place.unref();
    subscriber.unref();
  }

  #noteStage(): void {
    const { stage } = this.#member;
    if (stage === this.#stage) return;
    this.#stage = stage;
    heedless(() => this.emit('stage', stage));
  }
}

/**
 * Quotas that hold for all backends of a service together:
 * `await createQuota({ redis: { url }, service: 'search', limits })`. It is there after `connectMs` at the latest, also
 * when Redis is not.
 */
export async function createQuota(
  options: Partial<QuotaSettings> & Pick<QuotaSettings, 'limits'>,
): Promise<Quota> {
  const settings = checkQuotaSettings(options);
  const quota = new Quota(settings);
  try {
    await quota.join(settings);
    return quota;
  } catch (error) {
    await quota.close();
    throw error;
  }
}
