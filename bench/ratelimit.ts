import {
  type RatelimitFlags,
  type RatelimitOptions,
  type RatelimitSection,
  ratelimitOptions,
} from './ratelimit/options.js';
import { measureBytes } from './ratelimit/sections/bytes.js';
import { measureFailures } from './ratelimit/sections/failures.js';
import { measureLeased } from './ratelimit/sections/leased.js';
import { measurePauses } from './ratelimit/sections/pauses.js';
import { measureRedis } from './ratelimit/sections/redis.js';
import { measureSpeed } from './ratelimit/sections/speed.js';
import type { Report } from './report.js';

const MEASURED: Record<RatelimitSection, (options: RatelimitOptions) => Promise<Report | Report[]>> = {
  speed: measureSpeed,
  bytes: measureBytes,
  pauses: measurePauses,
  redis: measureRedis,
  leased: measureLeased,
  failures: measureFailures,
};

/** What a rate limit costs: time beside a peer's, memory for each key, and pauses while keys come and go. */
export async function benchRatelimit(flags: RatelimitFlags): Promise<Report[]> {
  const options = ratelimitOptions(flags);
  const reports: Report[] = [];
  for (const section of options.only) reports.push(...[await MEASURED[section](options)].flat());
  return reports;
}
