import { type QuotaFlags, type QuotaSection, quotaOptions } from './quota/options.js';
import { measureBackend } from './quota/sections/backend.js';
import { measureCoordinator } from './quota/sections/coordinator.js';
import { measureFleet } from './quota/sections/fleet.js';
import { measureRedis } from './quota/sections/redis.js';
import type { Report } from './report.js';

const MEASURED: Record<QuotaSection, () => Report | Promise<Report>> = {
  backend: measureBackend,
  coordinator: measureCoordinator,
  redis: measureRedis,
  fleet: measureFleet,
};

/** What global quotas cost: each backend, and the one that adds up what all of them report. */
export async function benchQuota(flags: QuotaFlags): Promise<Report[]> {
  const reports: Report[] = [];
  for (const section of quotaOptions(flags).only) {
    console.error(`quota: ${section}`);
    reports.push(await MEASURED[section]());
  }
  return reports;
}
