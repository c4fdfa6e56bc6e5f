/** Envoy's rate limit service, on our limiter. */
export type { HeaderNames } from './deciding/answer-parts.js';
export type { RuleTotals } from './deciding/rule-stats.js';
export {
  RateLimitService,
  readRules,
  type ServicePorts,
  startRateLimitService,
} from './rate-limit-service.js';
export type { OnStoreFailure } from './rules/compiled-limit.js';
export {
  type DescriptorSettings,
  parseRules,
  RULES_KEYS,
  type RulesSettings,
  rulesJsonSchema,
} from './rules/rules-schema.js';
export {
  type GivenServiceOptions,
  HEADER_NAMES,
  RATE_LIMIT_SERVICE_DEFAULTS,
  type RateLimitServiceOptions,
} from './service-options.js';
