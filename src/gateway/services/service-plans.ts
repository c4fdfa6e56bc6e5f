import { type GatewaySettings, isUrl, plainService, type ServiceSettings } from '../settings/index.js';
import type { ServicePlan } from './service-clients.js';

/** The text of a file that settings name. */
export type ReadFile = (file: string) => Promise<string>;

/** All services that routes lead to, with the files they need; those that routes write as a URL, too. */
export async function planServices(
  { services, routes }: GatewaySettings,
  readFile: ReadFile,
): Promise<ReadonlyMap<string, ServicePlan>> {
  const plans = new Map<string, ServicePlan>();
  for (const [name, settings] of Object.entries(services)) plans.set(name, await planOf(settings, readFile));
  for (const { to } of routes) {
    if (!plans.has(to) && isUrl(to)) plans.set(to, { settings: plainService(to), files: {} });
  }
  return plans;
}

async function planOf(settings: ServiceSettings, readFile: ReadFile): Promise<ServicePlan> {
  const { ca, cert, key } = settings.tls ?? {};
  const files: Record<string, string> = {};
  for (const [name, file] of Object.entries({ ca, cert, key })) {
    if (file !== undefined) files[name] = await readFile(file);
  }
  return { settings, files };
}
