export {
  type CombinedSignal,
  highestOf,
  type WeightedSignal,
  weightedSumOf,
  withTarget,
} from './combine-signals.js';
export {
  CONCURRENCY_LIMIT_DEFAULTS,
  ConcurrencyLimit,
  type ConcurrencyLimitOptions,
} from './concurrency-limit.js';
export {
  fixedLimit,
  type LimitAlgorithm,
  type LimitEstimate,
  type LimitSample,
} from './concurrency-limit-algorithm.js';
export { ConcurrencyLimiter, type ConcurrencyLimiterState } from './concurrency-limiter.js';
export { CPU_RATE_DEFAULTS, CpuRate, type CpuRateOptions } from './cpu-rate.js';
export { EvenOrder } from './even-order.js';
export { EXECUTOR_LOAD_DEFAULTS, ExecutorLoad, type ExecutorLoadOptions } from './executor-load.js';
export { GentleLimit } from './gentle-limit.js';
export { InFlightSignal } from './in-flight-signal.js';
export { MEMORY_PRESSURE_DEFAULTS, MemoryPressure, type MemoryPressureOptions } from './memory-pressure.js';
export { QUEUE_PRESSURE_DEFAULTS, QueuePressure, type QueuePressureOptions } from './queue-pressure.js';
export { refusalOrder } from './refusal-order.js';
export {
  type DropReason,
  type OnDrop,
  type QueuedRequest,
  RunQueue,
  type RunQueueExplanation,
} from './run-queue.js';
export { RUN_QUEUE_DEFAULTS, type RunQueueOptions } from './run-queue-options.js';
export {
  DEGRADING_THRESHOLDS,
  THRESHOLD_DEFAULTS,
  type Threshold,
  type ThresholdOptions,
  type ThresholdReading,
  Thresholds,
  type Verdict,
} from './thresholds.js';
export {
  type CustomSignal,
  customSignal,
  type SignalReading,
  type UtilizationSignal,
} from './utilization-signal.js';
