import { busiest } from '../../quota/busiest.js';
import type { QuotaSnapshot } from '../../quota/index.js';
import type { GuardSnapshot } from '../../server/index.js';

/** What stands at the beginning of each snapshot of a process. */
export function processReading(): object {
  return {
    pid: process.pid,
    node: process.version,
    uptimeMs: Math.round(process.uptime() * 1_000),
    residentBytes: process.memoryUsage.rss(),
  };
}

interface Shown {
  readonly guard: GuardSnapshot;
  readonly quota: QuotaSnapshot | undefined;
}

/**
 * A snapshot goes to every reader each second, and there may be ten thousand customers: of those the 200 that want most
 * are in it, once.
 */
export function shown({ guard, quota }: Shown): Shown {
  if (quota === undefined) return { guard: { ...guard, quota: trimmed(guard.quota) }, quota };
  const fleet = quota.fleet && { ...quota.fleet, customers: busiest(quota.fleet.customers) };
  return { guard: { ...guard, quota: undefined }, quota: { ...quota, ...trimmed(quota), fleet } };
}

function trimmed<T extends NonNullable<GuardSnapshot['quota']>>(quota: T | undefined): T | undefined {
  return quota && { ...quota, customers: busiest(quota.customers) };
}
