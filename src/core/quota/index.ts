export {
  ALLOCATION_ALGORITHMS,
  type AllocationAlgorithm,
  allocate,
  type Claim,
  grant,
} from './allocation.js';
export { divideQuota } from './divide-quota.js';
export type { DebtOptions } from './quota-debts.js';
export {
  QUOTA_ENFORCEMENT_DEFAULTS,
  QuotaEnforcement,
  type QuotaEnforcementOptions,
  type QuotaExplanation,
} from './quota-enforcement.js';
export type { CustomerLimit, QuotaLimit, QuotaLimits } from './quota-limits.js';
export { QuotaUsage } from './quota-usage.js';
export type { RecentUseSnapshot, UseRates } from './recent-use.js';
export {
  type CustomerUseSnapshot,
  USAGE_DEFAULTS,
  type UsageOptions,
  type UsageSnapshot,
} from './usage-table.js';
