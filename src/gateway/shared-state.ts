import type { SettingsError } from '../config/index.js';
import type { QuotaLimits } from '../core/index.js';
import { createQuota, type Quota, type QuotaFile, watchQuotaFile } from '../quota/index.js';
import {
  memoryStore,
  type OverflowQueue,
  type Perform,
  type RateStore,
  redisStore,
} from '../rate-limit/index.js';
import { OVERFLOW_DEFAULTS } from '../rate-limit/queueing/index.js';
import { openOverflowQueue } from '../rate-limit/queueing/overflow-queue.js';
import { UNMETERED } from '../wire/index.js';
import { checkQuotaUnit } from './file-checks.js';
import { unreadable } from './named-files.js';
import { queues } from './reload-checks.js';
import { type GatewaySettings, msOf } from './settings/index.js';
import { VersionedStore } from './versioned-store.js';

export interface SharedStateOptions {
  /** Where limits count, when that is somebody else's; it stays open. */
  readonly store: RateStore | undefined;
  /** How long a request waits for that. */
  readonly storeTimeoutMs: number | undefined;
  /** Among how many processes a quota is divided until their coordinator says better. */
  readonly processes: number;
  /** How long the start waits for Redis. */
  readonly connectMs: number | undefined;
  readonly resolve: (file: string) => string;
  /** Sends a request on whose turn has come. */
  readonly perform: Perform;
  readonly onProblem: (error: SettingsError) => void;
}

/** What outlives a change of settings: counts of limits, quotas, requests that wait. */
export class SharedState {
  readonly store: RateStore;
  /** How long a request waits for the store; undefined: not said. */
  readonly timeoutMs: number | undefined;
  readonly queue: OverflowQueue | undefined;
  readonly quota: Quota | undefined;
  readonly #closers: readonly (() => unknown)[];

  private constructor(
    store: RateStore,
    timeoutMs: number | undefined,
    queue: OverflowQueue | undefined,
    quota: Quota | undefined,
    closers: readonly (() => unknown)[],
  ) {
    this.store = store;
    this.timeoutMs = timeoutMs;
    this.queue = queue;
    this.quota = quota;
    this.#closers = closers;
  }

  static async open(settings: GatewaySettings, options: SharedStateOptions): Promise<SharedState> {
    const closers: (() => unknown)[] = [];
    try {
      const counting = options.store ?? (await openStore(settings, options));
      if (options.store === undefined) closers.push(() => counting.close());
      const store = new VersionedStore(counting);
      const queue = await openQueue(settings, options.perform);
      if (queue !== undefined) closers.unshift(() => queue.close());
      const quota = await openQuota(settings, options, closers);
      const { redis } = settings;
      const timeoutMs = redis === undefined ? options.storeTimeoutMs : msOf(redis.timeout);
      return new SharedState(store, timeoutMs, queue, quota, closers);
    } catch (error) {
      await closeAll(closers);
      throw error;
    }
  }

  close(): Promise<void> {
    return closeAll(this.#closers);
  }
}

async function closeAll(closers: readonly (() => unknown)[]): Promise<void> {
  for (const close of closers) await close();
}

async function openStore({ redis }: GatewaySettings, { connectMs }: SharedStateOptions): Promise<RateStore> {
  return redis === undefined ? memoryStore() : await redisStore({ url: redis.url, connectMs });
}

/** Only where a limit says so: it takes a package of its own. It performs nothing before it is started. */
async function openQueue(settings: GatewaySettings, perform: Perform): Promise<OverflowQueue | undefined> {
  const { redis, queue } = settings;
  if (redis === undefined || !queues(settings)) return undefined;
  const { keepResults, timeout, ...options } = queue;
  // Who gives Redis longer than a queue does by itself means the queue, too.
  const timeoutMs = Math.max(OVERFLOW_DEFAULTS.timeoutMs, msOf(redis.timeout));
  return await openOverflowQueue({
    ...options,
    timeoutMs,
    url: redis.url,
    perform,
    attemptMs: msOf(timeout),
    resultTtlMs: msOf(keepResults),
  });
}

async function openQuota(
  settings: GatewaySettings,
  { resolve, connectMs, processes, onProblem }: SharedStateOptions,
  closers: (() => unknown)[],
): Promise<Quota | undefined> {
  const { quota: given, redis } = settings;
  if (given === undefined) return undefined;
  let quota: Quota | undefined;
  const file = await watchQuotaFile(resolve(given.file), {
    onChange: (changed: QuotaFile) => quota?.setLimits(withUnmetered(changed.limits)),
    onProblem,
  }).catch((error: unknown) => {
    throw unreadable(settings, ['quota', 'file'], given.file, error);
  });
  closers.unshift(() => file.close());
  const { service = 'gateway', unit, limits, enforce } = file.value;
  checkQuotaUnit(settings, unit);
  quota = await createQuota({
    service,
    unit,
    enforce,
    limits: withUnmetered(limits),
    member: { backends: processes },
    ...(redis === undefined ? {} : { redis: { url: redis.url, connectMs } }),
  });
  const opened = quota;
  closers.unshift(() => opened.close());
  return quota;
}

/** Routes without quotas are counted for one who has no bound. */
export function withUnmetered(limits: QuotaLimits): QuotaLimits {
  const customers = [...(limits.customers ?? [])];
  return {
    ...limits,
    customers: [...customers, { customer: UNMETERED, perSecond: Number.POSITIVE_INFINITY }],
  };
}
