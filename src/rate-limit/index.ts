/** Rate limits: a limiter for code of your own, rules for servers, and where both count. */
export type { AlgorithmName, RateDecision } from '../core/index.js';
export { RejectedError } from '../core/index.js';
export {
  MEMORY_STORE_DEFAULTS,
  MemoryStore,
  type MemoryStoreOptions,
  memoryStore,
} from '../stores/memory/memory-store.js';
export type {
  RateRequest,
  RateRule,
  RateStore,
  ScheduleAnswer,
  Settlement,
  TakeAnswer,
} from '../stores/rate-store.js';
export {
  REDIS_STORE_DEFAULTS,
  type RedisStoreOptions,
  redisStore,
} from '../stores/redis/connect-redis-store.js';
export type { GivenClient } from '../stores/redis/redis-client.js';
export type { RedisStore } from '../stores/redis/redis-store.js';
export type { ReadBytesOptions } from '../wire/read-bytes.js';
export type { LimitAnswer } from './answers/limit-answer.js';
export type { Ruling } from './answers/limit-headers.js';
export type { FailureOptions, OnStoreFailure } from './fallback.js';
export { JWT_DEFAULTS, type JwtOptions } from './jwt/jwt-options.js';
export { LEASE_DEFAULTS, type LeaseOptions } from './leasing/lease-options.js';
export {
  createLimiter,
  type Limiter,
  type LimiterSnapshot,
  type Reservation,
  type ScheduleOptions,
} from './limiter.js';
export {
  LIMITER_DEFAULTS,
  type LimiterOptions,
  type LimitOptions,
} from './limiter-options.js';
export { limitExpress } from './middleware/express.js';
export { limitFastify } from './middleware/fastify.js';
export { limitHono } from './middleware/hono.js';
export * from './queueing/index.js';
export {
  createRateLimits,
  type RateLimits,
  type RuleCounts,
  type RuleSnapshot,
  type Verdict,
} from './rate-limits.js';
export { RATE_LIMITS_DEFAULTS, type RateLimitsOptions } from './rate-limits-options.js';
export type { KeyPart } from './rules/request-key.js';
export type { MatchOptions } from './rules/request-match.js';
export type { RequestView } from './rules/request-view.js';
export { RULE_DEFAULTS, type RuleOptions } from './rules/rule-options.js';
