export { createAlgorithm, createInPlaceAlgorithm } from './create-algorithm.js';
export { type Cells, type InPlaceAlgorithm, peekAt, settleAt } from './in-place-algorithm.js';
export { LeakingQueue, type LeakingQueueOptions, type QueuePlace } from './leaking-queue.js';
export { parseRate, type Rate } from './parse-rate.js';
export {
  ALGORITHM_NAMES,
  type AlgorithmName,
  type RateAlgorithm,
  type RateDecision,
  type RateState,
} from './rate-algorithm.js';
export { RATE_LIMIT_DEFAULTS, type RateLimitOptions } from './rate-limit-options.js';
export { type RateScale, rateScale } from './rate-scale.js';
