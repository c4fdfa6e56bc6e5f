import type { TlsOptions } from 'node:tls';
import { checkInteger, checkOneOf, checkPositive, withDefaults } from '../core/check.js';
import { LIMITER_DEFAULTS } from '../rate-limit/limiter-options.js';
import type { RateStore } from '../stores/rate-store.js';
import type { HeaderNames } from './deciding/answer-parts.js';
import type { OnStoreFailure } from './rules/compiled-limit.js';

/** Rules, ports and store of the service; named as the flags of the program. */
export interface RateLimitServiceOptions {
  /** Files of rules, and folders of such. */
  readonly paths: readonly string[];
  /** Who can reach it can use up limits of others: this machine alone, unless it is said. */
  readonly host: string;
  /** 0: any that is free. */
  readonly grpcPort: number;
  /** `/json` and `/healthcheck`; false: none. */
  readonly httpPort: number | false;
  /** `/rlconfig` and `/stats`. */
  readonly debugPort: number | false;
  /** Of the port of gRPC. */
  readonly tls: TlsOptions | undefined;
  /** In memory of this process when there is none. It stays open when the service is closed. */
  readonly store: RateStore | undefined;
  /** Keys that are kept in memory. */
  readonly maxKeys: number;
  /** Of the port of gRPC, at the same time; those beyond are closed at once. */
  readonly maxConnections: number;
  /** How long a call waits for the store. */
  readonly timeoutMs: number;
  /** What becomes of a call that the store does not decide in time. */
  readonly onStoreFailure: OnStoreFailure;
  /** Counts, and refuses nobody. */
  readonly shadow: boolean;
  /** Files of one domain are one; else it is an error. */
  readonly mergeDomains: boolean;
  /** Headers that proxies add to answers. */
  readonly responseHeaders: HeaderNames | undefined;
  /** Headers that proxies add to requests they pass on. */
  readonly requestHeaders: HeaderNames | undefined;
  /** Tells proxies what was asked, as metadata. */
  readonly dynamicMetadata: boolean;
  /** From this share of a limit on, hits are counted as near to it. */
  readonly nearLimitRatio: number;
  /** How long calls may take to end when it is closed. */
  readonly drainMs: number;
  /** How often files are looked at. */
  readonly pollMs: number;
  /** So long a file must have stayed the same before it is read. */
  readonly settleMs: number;
  /** Told of rules that hold from now on, in a few words. */
  readonly onRules: (words: string) => void;
  /** Told why files that have changed do not hold. */
  readonly onProblem: (error: Error) => void;
  /** Told of what went wrong and has no call to be answered with. */
  readonly onError: (error: unknown) => void;
}

/** What is given: what is left out, or undefined, is the default. */
export type GivenServiceOptions = {
  readonly [Name in keyof RateLimitServiceOptions]?: RateLimitServiceOptions[Name] | undefined;
} & Pick<RateLimitServiceOptions, 'paths'>;

export const HEADER_NAMES: HeaderNames = Object.freeze({
  limit: 'RateLimit-Limit',
  remaining: 'RateLimit-Remaining',
  reset: 'RateLimit-Reset',
});

export const RATE_LIMIT_SERVICE_DEFAULTS: Omit<RateLimitServiceOptions, 'paths'> = Object.freeze({
  // Who can reach it can use up limits of others: whoever wants that says so.
  host: '127.0.0.1',
  // Those of Envoy's service.
  grpcPort: 8081,
  httpPort: 8080,
  // It tells all rules: Envoy's service has one at 6070.
  debugPort: false,
  tls: undefined,
  store: undefined,
  maxKeys: 1_000_000,
  // Hundreds of proxies with a connection for each of their threads; it bounds what all of them may make us keep.
  maxConnections: 10_000,
  timeoutMs: LIMITER_DEFAULTS.timeoutMs,
  // Limits guard against too much. To refuse everybody because nobody counts is more harm than most floods.
  onStoreFailure: 'allow',
  shadow: false,
  mergeDomains: false,
  responseHeaders: undefined,
  requestHeaders: undefined,
  dynamicMetadata: false,
  // As in Envoy's service.
  nearLimitRatio: 0.8,
  // A call takes timeoutMs at the most: this is for clients that hear of the end late.
  drainMs: 10_000,
  // As other files are followed (src/config).
  pollMs: 1_000,
  settleMs: 50,
  onRules: () => {},
  onProblem: (error: Error) => console.error(error.message),
  onError: (error: unknown) => console.error(error),
});

/** With defaults, or a RangeError with field and value. */
export function checkServiceOptions(given: GivenServiceOptions): RateLimitServiceOptions {
  const defaults = { paths: [], ...RATE_LIMIT_SERVICE_DEFAULTS } as RateLimitServiceOptions;
  const options = withDefaults('rateLimitService', defaults, given as Partial<RateLimitServiceOptions>);
  if (!Array.isArray(options.paths) || options.paths.length === 0)
    throw new RangeError('paths must be at least one file or folder, got none');
  checkInteger('grpcPort', options.grpcPort, 0, 65_535);
  for (const field of ['httpPort', 'debugPort'] as const)
    if (options[field] !== false) checkInteger(field, options[field], 0, 65_535);
  checkInteger('maxConnections', options.maxConnections, 1, 2 ** 31 - 1);
  checkPositive('timeoutMs', options.timeoutMs);
  checkPositive('drainMs', options.drainMs);
  checkPositive('pollMs', options.pollMs);
  checkPositive('settleMs', options.settleMs);
  checkOneOf('onStoreFailure', options.onStoreFailure, ['allow', 'refuse', 'error']);
  const { nearLimitRatio } = options;
  if (typeof nearLimitRatio !== 'number' || !(nearLimitRatio >= 0 && nearLimitRatio <= 1))
    throw new RangeError(`nearLimitRatio must be from 0 to 1, got ${String(nearLimitRatio)}`);
  return options;
}
