import type { ReadFile } from '../named-files.js';
import { type NamedPems, readPems } from '../pem-files.js';
import { type GatewaySettings, isUrl, plainService, type ServiceSettings } from '../settings/index.js';
import type { ServicePlan } from './service-clients.js';

/** All services that routes lead to, with the files they need; those that routes write as a URL, too. */
export async function planServices(
  settings: GatewaySettings,
  readFile: ReadFile,
): Promise<ReadonlyMap<string, ServicePlan>> {
  const { services, routes } = settings;
  const plans = new Map<string, ServicePlan>();
  for (const [name, service] of Object.entries(services)) {
    const files = await readPems(settings, namesOf(name, service), readFile);
    plans.set(name, { settings: service, files });
  }
  for (const { to } of routes) {
    if (!plans.has(to) && isUrl(to)) plans.set(to, { settings: plainService(to), files: {} });
  }
  return plans;
}

function namesOf(service: string, { tls = {} }: ServiceSettings): NamedPems {
  const named: NamedPems = {};
  for (const role of ['ca', 'cert', 'key'] as const) {
    const file = tls[role];
    if (file !== undefined) named[role] = { file, path: ['services', service, 'tls', role] };
  }
  return named;
}
