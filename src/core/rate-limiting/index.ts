export { createAlgorithm, createInPlaceAlgorithm } from './create-algorithm.js';
export { type Cells, type InPlaceAlgorithm, peekAt, settleAt } from './in-place-algorithm.js';
export { LeakingQueue, type LeakingQueueOptions, type QueuePlace } from './leaking-queue.js';
export { createLeaseLedger, LEASABLE } from './leasing/create-lease-ledger.js';
export type { LeaseAsk, LeaseGrant, LeaseLedger, LeaseState } from './leasing/lease-ledger.js';
export { type BlockAnswer, TokenBlock } from './leasing/token-block.js';
export { parseRate, type Rate } from './parse-rate.js';
export {
  ALGORITHM_NAMES,
  type AlgorithmName,
  type RateAlgorithm,
  type RateDecision,
  type RateState,
} from './rate-algorithm.js';
export { RATE_LIMIT_DEFAULTS, type RateLimitOptions, type RateOptions } from './rate-limit-options.js';
export { type RateScale, rateScale } from './rate-scale.js';
