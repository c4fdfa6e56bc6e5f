/** Guard, balancing client, rate limits and quotas in front of services in any language. */
export { checkFiles } from './file-checks.js';
export { createGateway, GATEWAY_OPTIONS, Gateway, type GatewayOptions } from './gateway.js';
export { ListenError, type ListeningAt } from './listeners.js';
export {
  describeAddress,
  GATEWAY_KEYS,
  type GatewaySettings,
  gatewayJsonSchema,
  gatewaySchema,
  parseGatewaySettings,
  printSettings,
} from './settings/index.js';
export type { GatewaySnapshot, RouteSnapshot } from './snapshot.js';
