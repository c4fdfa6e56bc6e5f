import { type ProxyFlags, type ProxyOptions, type ProxySection, proxyOptions } from './proxy/options.js';
import { measureIdle } from './proxy/sections/idle.js';
import { measureLatency } from './proxy/sections/latency.js';
import { measureSpeed } from './proxy/sections/speed.js';
import { needTools } from './proxy/tools.js';
import type { Report } from './report.js';

const MEASURED: Record<ProxySection, (options: ProxyOptions) => Promise<Report[]>> = {
  speed: async (options) => [await measureSpeed(options)],
  latency: measureLatency,
  idle: async () => [await measureIdle()],
};

/** What the gateway costs on the way to a service, against other proxies. */
export async function benchProxy(flags: ProxyFlags): Promise<Report[]> {
  const options = proxyOptions(flags);
  needTools();
  const reports: Report[] = [];
  for (const section of options.only) reports.push(...(await MEASURED[section](options)));
  return reports;
}
