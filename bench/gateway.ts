import {
  type GatewayFlags,
  type GatewayOptions,
  type GatewaySection,
  gatewayOptions,
} from './gateway/options.js';
import { measureClosedLoop } from './gateway/sections/closed-loop.js';
import { measureIsolation } from './gateway/sections/isolation.js';
import { measurePages } from './gateway/sections/pages.js';
import { measureSoak } from './gateway/sections/soak.js';
import type { Report } from './report.js';

const MEASURED: Record<GatewaySection, (options: GatewayOptions) => Promise<Report>> = {
  isolation: measureIsolation,
  'closed-loop': measureClosedLoop,
  pages: measurePages,
  soak: measureSoak,
};

/** The gateway under stress: services that are slow, crowds of clients, and everything around it restarted. */
export async function benchGateway(flags: GatewayFlags): Promise<Report[]> {
  const options = gatewayOptions(flags);
  const reports: Report[] = [];
  for (const section of options.only) {
    console.error(`gateway: ${section}`);
    reports.push(await MEASURED[section](options));
  }
  return reports;
}
