/** Envoy's rate limit service, on our limiter. */
export {
  RateLimitService,
  readRules,
  type ServicePorts,
  startRateLimitService,
} from './rate-limit-service.js';
export type { OnStoreFailure } from './rules/compiled-limit.js';
export { parseRules, RULES_KEYS, rulesJsonSchema } from './rules/rules-schema.js';
export {
  type GivenServiceOptions,
  HEADER_NAMES,
  RATE_LIMIT_SERVICE_DEFAULTS,
  type RateLimitServiceOptions,
} from './service-options.js';
