import { checkInteger, checkPositive, checkWithin, withDefaults } from '../check.js';

/** Between what a pace of batches moves, and what it yields to. */
export interface BatchPaceOptions {
  /** However loaded the service is: batches never stand still for ever, and the end of an overload is seen. */
  readonly leastPerSecond: number;
  /** However idle it is. */
  readonly mostPerSecond: number;
  /** Until something was learned. */
  readonly initialPerSecond: number;
  /** Requests under way at once, and so connections to the service, at the most. */
  readonly maxUnderWay: number;
  /** How full the service may be, interactive requests and batches together; what is left below it is for batches. */
  readonly targetUtilization: number;
  /** So many times as long as without batches a request may take. */
  readonly latencyFactor: number;
}

export const BATCH_PACE_DEFAULTS: BatchPaceOptions = Object.freeze({
  // A request a second is nothing to a service, and its outcome tells within seconds that there is room again.
  leastPerSecond: 1,
  // More than a gateway's process can forward.
  mostPerSecond: 10_000,
  // What any service can take. It grows by half in a second: 300 a second are reached after eight.
  initialPerSecond: 10,
  // "A few connections": at 50 ms each they carry 1,280 a second.
  maxUnderWay: 64,
  // Interactive requests that come in bunches find a fifth of the service free. With 16 processors a request waits for a
  // tenth of what it takes at .8 (M/M/16); with more it is less. SHEDDABLE_PLUS is refused from .9 on.
  targetUtilization: 0.8,
  // Longer than by chance, and less than anybody feels. Measured against what it takes when batches step back.
  latencyFactor: 1.25,
});

export function checkBatchPaceOptions(given: Partial<BatchPaceOptions> | undefined): BatchPaceOptions {
  const options = withDefaults('batchPace', BATCH_PACE_DEFAULTS, given);
  const { leastPerSecond, mostPerSecond } = options;
  checkPositive('leastPerSecond', leastPerSecond);
  checkPositive('mostPerSecond', mostPerSecond);
  checkWithin('leastPerSecond', leastPerSecond, 0, mostPerSecond);
  checkPositive('initialPerSecond', options.initialPerSecond);
  checkInteger('maxUnderWay', options.maxUnderWay, 1);
  checkPositive('targetUtilization', options.targetUtilization);
  checkPositive('latencyFactor', options.latencyFactor);
  if (options.latencyFactor <= 1)
    throw new RangeError(`latencyFactor must be > 1, got ${options.latencyFactor}`);
  return options;
}
