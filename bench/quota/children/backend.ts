import { setTimeout as sleep } from 'node:timers/promises';
import { createQuota, createQuotaCoordinator } from 'plimsoll/quota';
import { cpuMs, isGreedy, namesOf } from '../customers.js';

export interface BackendOptions {
  /** Of Redis; undefined: limits hold for this process alone. */
  readonly url: string | undefined;
  readonly customers: number;
  /** Before it is measured: until the first levels have been heard, and code is compiled. */
  readonly warmMs: number;
  readonly ms: number;
}

export interface BackendCost {
  readonly corePercent: number;
  readonly reportsPerSecond: number;
  readonly stage: string;
}

/** Requests come in portions, as often as this. */
const PORTION_MS = 50;

const SERVICE = 'bench';

/** Most want three a second, and are named in levels; one in ten wants fourteen, and is held. */
const LIMITS = { everyoneElse: { perSecond: 4 } };

export async function coordinate(url: string): Promise<void> {
  await createQuotaCoordinator({ redis: { url }, service: SERVICE, limits: LIMITS });
}

/** What a second of it costs, its customers' requests included. */
export async function serve({ url, customers, warmMs, ms }: BackendOptions): Promise<BackendCost> {
  const quota = await createQuota({
    service: SERVICE,
    limits: LIMITS,
    coordinates: false,
    ...(url === undefined ? {} : { redis: { url } }),
  });
  const names = namesOf(customers);
  let portion = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    portion++;
    // Each customer three times a second.
    for (let customer = portion % 7; customer < customers; customer += 7) {
      const [name, wanted] = [names[customer]!, isGreedy(customer) ? 5 : 1];
      for (let request = 0; request < wanted; request++) {
        if (quota.enforcement.admit(name, 'CRITICAL', request / wanted, now) === 'admit')
          quota.enforcement.charge(name, 'CRITICAL', 1, now);
      }
    }
  }, PORTION_MS);
  try {
    await sleep(warmMs);
    const [cpuBefore, beganMs] = [cpuMs(), performance.now()];
    const reportsBefore = quota.snapshot().counts?.reports ?? 0;
    await sleep(ms);
    const elapsedMs = performance.now() - beganMs;
    const corePercent = ((cpuMs() - cpuBefore) / elapsedMs) * 100;
    const reports = (quota.snapshot().counts?.reports ?? 0) - reportsBefore;
    return { corePercent, reportsPerSecond: (reports / elapsedMs) * 1_000, stage: quota.stage };
  } finally {
    clearInterval(timer);
    await quota.close();
  }
}
