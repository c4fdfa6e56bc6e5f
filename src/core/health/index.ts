export { Backend, type BackendState, type ConnectionState } from './backend.js';
export type { IndexSet } from './index-set.js';
export type { LinePlace } from './line-place.js';
export {
  HEALTH_SHARE_DEFAULTS,
  type HealthShareOptions,
  healthShares,
  type LocalityHealth,
} from './localities/health-shares.js';
export {
  LOAD_AWARE_DEFAULTS,
  type LoadAwareOptions,
  type LocalityLoad,
  loadAwareShares,
} from './localities/load-aware-shares.js';
export {
  LOCALITY_ROUTER_DEFAULTS,
  LocalityRouter,
  type LocalityRouterOptions,
} from './localities/locality-router.js';
export {
  type LocalityRouterSnapshot,
  type LocalitySnapshot,
  type LocalityState,
  noCapacityError,
} from './localities/locality-snapshot.js';
export { OutlierDetector } from './outlier-detector.js';
export {
  type FailureShareOptions,
  OUTLIER_DEFAULTS,
  type OutlierOptions,
  type SuccessRateOptions,
} from './outlier-options.js';
export { OutlierRecord } from './outlier-record.js';
export {
  PAGE_VERDICT_DEFAULTS,
  PageJudge,
  type PageVerdict,
  type PageVerdictOptions,
  verdictOf,
} from './page-verdict.js';
export { noBackendError, ROSTER_DEFAULTS, Roster, type RosterOptions, type Snapshot } from './roster.js';
export { SLOW_START_DEFAULTS, type SlowStartOptions, slowStartFactor } from './slow-start.js';
export {
  allBusyError,
  WAITING_LINE_DEFAULTS,
  WaitingLine,
  type WaitingLineOptions,
} from './waiting-line.js';
