import {
  checkInteger,
  checkNonNegative,
  checkOneOf,
  checkPositive,
  checkWithin,
  withDefaults,
} from '../../core/check.js';
import type { SamplingOptions } from './sampling-schedule.js';

/**
 * How the CPU of requests is found, and what that costs of the throughput of `hello world`, which is the worst case:
 * it costs about 0.8 µs (Node 20) or 0.4 µs (24) for each callback and continuation.
 *
 * - `exact`: every request is measured.
 * - `sampled`: measured are the requests of a share of the time, as large as `budget` allows; the others get the mean of
 *   their route. Where requests take more than about 1 ms that share is all of it, and this is the same as `exact`.
 * - `off`: nothing is measured; a request costs what its route's hint says.
 */
export type CpuMode = 'exact' | 'sampled' | 'off';

/** How the CPU time of requests is found, and what that may cost. */
export interface CpuOptions extends SamplingOptions {
  /** Which requests are measured. */
  readonly mode: CpuMode;
  /** CPU-ms here are worth so many normalised ones: 2 on a machine that is twice as fast as the one they are named after. */
  readonly machineFactor: number;
  /** What a request of a route costs, in normalised CPU-ms, until it is known. */
  readonly hints: Readonly<Record<string, number>>;
  /** Routes with an account of their own; the rest share that of `other`. */
  readonly maxRoutes: number;
  /** The same for customers. */
  readonly maxCustomers: number;
}

export const CPU_DEFAULTS: CpuOptions = Object.freeze({
  mode: 'sampled',
  // Of the 5 % that accounting may cost a `hello world`; keeping the books of those not measured takes the rest.
  budget: 0.01,
  duty: 'auto',
  machineFactor: 1,
  hints: Object.freeze({}),
  // A service has tens of routes; a name for each path with an id in it would be a mistake, and shows as `other`.
  maxRoutes: 200,
  // SRE ch. 21 bills tens of internal customers. 1,000 accounts are settled in 0.1 ms a second.
  maxCustomers: 1_000,
});

export function checkCpuOptions(given?: Partial<CpuOptions>): CpuOptions {
  const options = withDefaults('cpu', CPU_DEFAULTS, given);
  checkOneOf('mode', options.mode, ['exact', 'sampled', 'off']);
  checkPositive('machineFactor', options.machineFactor);
  checkWithin('budget', checkPositive('budget', options.budget), 0, 1);
  if (options.duty !== 'auto') checkWithin('duty', checkPositive('duty', options.duty), 0, 1);
  for (const [route, ms] of Object.entries(options.hints)) checkNonNegative(`hints["${route}"]`, ms);
  checkInteger('maxRoutes', options.maxRoutes, 1);
  checkInteger('maxCustomers', options.maxCustomers, 1);
  return options;
}
