import { checkOneOf, withDefaults } from '../check.js';
import { ALGORITHM_NAMES, type AlgorithmName } from './rate-algorithm.js';

/** How much may pass, whatever the algorithm. */
export interface RateOptions {
  /** How much passes in a window, in units of cost. */
  readonly limit: number;
  /** In how long. */
  readonly windowMs: number;
  /** How much passes at once from rest; the limit by default. For buckets and gcra: windows know no other. */
  readonly burst?: number | undefined;
  /** Whether requests that are refused count as well. For the sliding log: the others do not write them down. */
  readonly countRefused?: boolean | undefined;
}

/** How much passes, by which algorithm. */
export interface RateLimitOptions extends RateOptions {
  /** By which arithmetic. */
  readonly algorithm: AlgorithmName;
}

export const RATE_LIMIT_DEFAULTS = Object.freeze({
  // A whole window's worth at once, as a window has it: who changes the algorithm keeps the limit that clients know.
  burst: undefined,
  // Counting them would refuse a client that retries too often for good, and take a write for each refusal.
  countRefused: false,
});

/** No default: there is no limit that is right for somebody unknown. */
const REQUIRED = { algorithm: undefined, limit: undefined, windowMs: undefined };

/** Which options go together; the numbers are checked by the algorithms, which know how large they may be. */
export function checkRateLimit(options: RateLimitOptions): RateLimitOptions {
  const defaults: Partial<RateLimitOptions> = { ...(REQUIRED as object), ...RATE_LIMIT_DEFAULTS };
  const given = withDefaults('rateLimit', defaults, options) as RateLimitOptions;
  const { limit, burst, countRefused } = given;
  const algorithm = checkOneOf('algorithm', given.algorithm, ALGORITHM_NAMES);
  if (typeof countRefused !== 'boolean') {
    throw new RangeError(`countRefused must be true or false, got ${String(countRefused)}`);
  }
  if (countRefused && algorithm !== 'sliding-log') {
    throw new RangeError(`countRefused must be false with ${algorithm}, got true`);
  }
  const isWindow = algorithm !== 'gcra' && !algorithm.endsWith('-bucket');
  if (isWindow && burst !== undefined && burst !== limit) {
    throw new RangeError(`burst must be the limit with ${algorithm}, got ${String(burst)}`);
  }
  return given;
}
