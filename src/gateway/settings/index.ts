/** What a gateway is told: a file, checked and complete. */
export { type Address, describeAddress, isLoopback, parseAddress } from './address.js';
export type { BatchSettings } from './batch-schema.js';
export { isUrl } from './cross-checks.js';
export { GATEWAY_KEYS, type GatewaySettings, gatewaySchema } from './gateway-schema.js';
export { gatewayJsonSchema, parseGatewaySettings, printSettings } from './gateway-settings.js';
export { apiKeyTable, type IdentitySettings, isPem, type KeyOwner } from './identity-schema.js';
export type { LimitSettings, OwnLimit } from './limit-schema.js';
export type { Listener } from './listen-schema.js';
export type { NamedRoute } from './route-names.js';
export { plainService, type ServiceSettings } from './service-schema.js';
export { shownProblem } from './shown-problem.js';
export { bytesOf, msOf } from './texts.js';
