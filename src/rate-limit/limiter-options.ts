import { checkInteger, checkPositive, withDefaults } from '../core/check.js';
import { type AlgorithmName, parseRate } from '../core/index.js';
import { createRateRule, type RateRule, type RateStore } from '../stores/rate-store.js';
import { FAILURE_DEFAULTS, type FailureOptions, type Fallback, fallbackOf } from './fallback.js';
import { checkLease, type LeaseOptions } from './leasing/lease-options.js';

/** How much passes, by an algorithm: what a limiter and a rule have in common. */
export interface LimitOptions {
  /** By which arithmetic: what each promises is in docs/rate-limit.md. */
  readonly algorithm: AlgorithmName;
  /** How much passes in a window, in units of cost. */
  readonly limit?: number | undefined;
  /** In how long. */
  readonly windowMs?: number | undefined;
  /** The window as people write it: `3h`, `minute`. */
  readonly window?: string | undefined;
  /** Both as people write it: `300/3h`, `5 per minute`. */
  readonly rate?: string | undefined;
  /** How much passes at once from rest; the limit by default. For buckets and gcra. */
  readonly burst?: number | undefined;
  /** Refused requests count too. For the sliding log. */
  readonly countRefused?: boolean | undefined;
}

/** How much passes, where it is counted, and what holds when nobody counts. */
export interface LimiterOptions extends LimitOptions, FailureOptions {
  /** Limiters of one name and store count together. */
  readonly name?: string | undefined;
  /** Where it counts. In this process by default. */
  readonly store?: RateStore | undefined;
  /** How long a decision waits for the store. */
  readonly timeoutMs?: number | undefined;
  /** How many may wait in `schedule`, over all keys. */
  readonly maxWaiting?: number | undefined;
  /** Decides in this process upon units taken in blocks, for high rates. For token-bucket, gcra and fixed-window. */
  readonly lease?: boolean | Partial<LeaseOptions> | undefined;
}

export const LIMITER_DEFAULTS = Object.freeze({
  // Its options: what counts the same in several processes is counted together without being told.
  name: undefined,
  // In this process, of its own.
  store: undefined,
  // A store nearby answers within 1 to 2 ms; who is 25 times as slow is in trouble, and a request bears 50 ms.
  timeoutMs: 50,
  ...FAILURE_DEFAULTS,
  // Who waits holds a request and a timer, some 10 kB: 100 MB.
  maxWaiting: 10_000,
  // A round trip for each request is exact in `remaining` too, and fast enough for most.
  lease: undefined,
});

/** No default: there is no limit that is right for somebody unknown. */
export const LIMIT_REQUIRED = Object.freeze({
  algorithm: undefined,
  limit: undefined,
  windowMs: undefined,
  window: undefined,
  rate: undefined,
  burst: undefined,
  countRefused: undefined,
});

export interface CheckedLimiterOptions {
  readonly rule: RateRule;
  readonly store: RateStore | undefined;
  readonly timeoutMs: number;
  readonly fallback: Fallback;
  readonly maxWaiting: number;
  readonly lease: LeaseOptions | undefined;
}

export function checkLimiterOptions(options: LimiterOptions): CheckedLimiterOptions {
  const defaults = { ...LIMIT_REQUIRED, ...LIMITER_DEFAULTS } as unknown as LimiterOptions;
  const given = withDefaults('limiter', defaults, options);
  const limit = limitOf(given);
  const name = given.name ?? nameOf(given, limit);
  const rule = ruleOf(checkName('name', name), given);
  const store = checkStore(given.store);
  return {
    rule,
    store,
    timeoutMs: checkPositive('timeoutMs', given.timeoutMs),
    fallback: fallbackOf(rule, given),
    maxWaiting: checkInteger('maxWaiting', given.maxWaiting, 1),
    lease: checkLease(given.lease, rule.options, store),
  };
}

/** All that states depend on: limiters that differ in it count apart. */
function nameOf(given: LimitOptions, { limit, windowMs }: { limit: number; windowMs: number }): string {
  const refused = given.countRefused === true ? ':refused' : '';
  return `${given.algorithm}:${limit}/${windowMs}:${given.burst ?? limit}${refused}`;
}

const OF_A_STORE = ['take', 'peek', 'settle', 'schedule', 'reset', 'close'];

/** A store that cannot be asked would be one that fails, and failing stores let everybody pass. */
export function checkStore(given: RateStore | undefined): RateStore | undefined {
  return given === undefined ? undefined : checkParts('store', given, OF_A_STORE, 'redisStore');
}

/** Something that others have made, known by what it can do. Made by a promise, it is easily given before it is there. */
export function checkParts<T>(field: string, given: T, names: readonly string[], maker: string): T {
  const parts = Object(given) as Readonly<Record<string, unknown>>;
  if (typeof parts['then'] === 'function') {
    throw new RangeError(`${field} must be a ${field}, got a promise: await ${maker}(…)`);
  }
  const missing = names.filter((name) => typeof parts[name] !== 'function');
  if (missing.length === 0) return given;
  throw new RangeError(`${field} must be a ${field}, got something without ${missing.join(', ')}`);
}

/** Visible letters without quotes: names stand in headers, in keys of stores and in metrics. */
const NAME = /^[\w.:/-]{1,64}$/;

export function checkName(field: string, name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new RangeError(`${field} must be 1 to 64 of A-Z a-z 0-9 _ . : / -, got ${JSON.stringify(name)}`);
}

export function ruleOf(name: string, options: LimitOptions): RateRule {
  const { algorithm, burst, countRefused } = options;
  const { limit, windowMs } = limitOf(options);
  return createRateRule(name, { algorithm, limit, windowMs, burst, countRefused });
}

function limitOf({ limit, windowMs, window, rate }: LimitOptions): { limit: number; windowMs: number } {
  if ([windowMs, window, rate].filter((each) => each !== undefined).length !== 1) {
    throw new RangeError('one of windowMs, window and rate must be given, and no other of them');
  }
  if (rate !== undefined && limit !== undefined) {
    throw new RangeError(`limit must not be given beside rate, which says it, got ${limit}`);
  }
  if (rate !== undefined) return parseRate(rate);
  return window === undefined ? { limit: limit!, windowMs: windowMs! } : parseRate(`${limit}/${window}`);
}
