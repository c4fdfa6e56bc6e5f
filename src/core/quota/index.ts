export {
  ALLOCATION_ALGORITHMS,
  type AllocationAlgorithm,
  allocate,
  type Claim,
  grant,
} from './allocation.js';
export { type Assumption, NOTHING_ASSUMED } from './assumption.js';
export type { Restraint } from './own-share.js';
export {
  type FleetCustomerSnapshot,
  QUOTA_COORDINATOR_DEFAULTS,
  QuotaCoordinator,
  type QuotaCoordinatorOptions,
  type QuotaCoordinatorSnapshot,
} from './quota-coordinator.js';
export type { DebtOptions } from './quota-debts.js';
export {
  QUOTA_ENFORCEMENT_DEFAULTS,
  QuotaEnforcement,
  type QuotaEnforcementOptions,
  type QuotaExplanation,
} from './quota-enforcement.js';
export { type QuotaLevels, SPARE_STRIDE } from './quota-levels.js';
export type { CustomerLimit, QuotaLimit, QuotaLimits } from './quota-limits.js';
export {
  type MemberCustomerSnapshot,
  QUOTA_MEMBER_DEFAULTS,
  QuotaMember,
  type QuotaMemberOptions,
  type QuotaMemberSnapshot,
  type QuotaStage,
} from './quota-member.js';
export { QUOTA_FROM } from './quota-suspension.js';
export type { RecentUseSnapshot, UseRates } from './recent-use.js';
export { DEMAND_AT, REPORT_STRIDE, type UsageReport } from './usage-report.js';
export {
  type CustomerUseSnapshot,
  USAGE_DEFAULTS,
  type UsageOptions,
  type UsageSnapshot,
} from './usage-table.js';
