import { checkDistinct, checkPositive, withDefaults } from '../core/check.js';
import type { RateStore } from '../stores/rate-store.js';
import { JwtClaims } from './jwt/jwt-claims.js';
import { checkJwtOptions, type JwtOptions } from './jwt/jwt-options.js';
import { checkParts, checkStore, LIMITER_DEFAULTS } from './limiter-options.js';
import type { OverflowQueue } from './queueing/index.js';
import { ADDRESS_DEFAULTS, ClientAddress } from './rules/client-address.js';
import { headerName } from './rules/request-match.js';
import { type CompiledRule, compileRule, type RuleOptions } from './rules/rule-options.js';

/** Rules for a server, and how requests are told apart. */
export interface RateLimitsOptions {
  /** All that match a request are decided together. */
  readonly rules: readonly RuleOptions[];
  /** Where they count. In this process by default. */
  readonly store?: RateStore | undefined;
  /** For rules with `onLimit: 'queue'`. It stays open when this is closed. */
  readonly queue?: OverflowQueue | undefined;
  /** How long a request waits for the store. */
  readonly timeoutMs?: number | undefined;
  /** How many proxies of one's own are in front: `x-forwarded-for` is believed so far, and not at all by default. */
  readonly trustedProxies?: number | undefined;
  /** Addresses of one network of this length are one client: a customer of a provider has as many as it likes. */
  readonly ipv6Prefix?: number | undefined;
  /** Where `api-key` is found. */
  readonly apiKeyHeader?: string | undefined;
  /**
   * Headers that carry secrets without saying so by their names: hashed where they are keys, and not kept with what is queued.
   * The same for all who count together.
   */
  readonly secretHeaders?: readonly string[] | undefined;
  /** How tokens are verified, for keys such as `jwt:sub`. */
  readonly jwt?: JwtOptions | undefined;
  /** `X-RateLimit-*` besides. */
  readonly legacyHeaders?: boolean | undefined;
  /** Told of errors in functions of rules; the request is answered with 500. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const RATE_LIMITS_DEFAULTS = Object.freeze({
  store: undefined,
  // It needs Redis, and somebody who performs what waits there.
  queue: undefined,
  timeoutMs: LIMITER_DEFAULTS.timeoutMs,
  ...ADDRESS_DEFAULTS,
  // What most API gateways call it.
  apiKeyHeader: 'x-api-key',
  // Most say what they are.
  secretHeaders: Object.freeze([]) as readonly string[],
  // Whose tokens are to be believed cannot be guessed.
  jwt: undefined,
  // Who reads them knows; to others they are bytes.
  legacyHeaders: false,
  onError: (error: unknown): void => console.error(error),
});

export interface CheckedRateLimitsOptions {
  readonly rules: readonly CompiledRule[];
  readonly jwt: JwtClaims | undefined;
  readonly store: RateStore | undefined;
  readonly queue: OverflowQueue | undefined;
  /** Names in lower case of headers that let somebody act for somebody else. */
  readonly secretHeaders: readonly string[];
  readonly timeoutMs: number;
  readonly legacyHeaders: boolean;
  readonly onError: (error: unknown) => void;
}

export function checkRateLimitsOptions(options: RateLimitsOptions): CheckedRateLimitsOptions {
  const defaults = { rules: [], ...RATE_LIMITS_DEFAULTS } as unknown as Required<RateLimitsOptions>;
  const given = withDefaults('rateLimits', defaults, options as Partial<Required<RateLimitsOptions>>);
  const { trustedProxies, ipv6Prefix } = given as { trustedProxies: number; ipv6Prefix: number };
  if (!Array.isArray(given.rules) || given.rules.length === 0) {
    throw new RangeError('rules must be a list of at least one rule, got none');
  }
  const store = checkStore(given.store);
  const queue = checkQueue(given.queue);
  const tokens = given.jwt === undefined ? undefined : checkJwtOptions(given.jwt);
  const jwt = tokens && new JwtClaims(tokens, { onError: given.onError! });
  const address = new ClientAddress({ trustedProxies, ipv6Prefix });
  const apiKeyHeader = headerName('apiKeyHeader', given.apiKeyHeader);
  const secretHeaders = [
    apiKeyHeader,
    ...(tokens === undefined ? [] : [tokens.header]),
    ...checkNames('secretHeaders', given.secretHeaders),
  ];
  const canQueue = queue !== undefined && store?.isShared === true;
  const sources = { address, apiKeyHeader, secretHeaders, jwt, canQueue };
  const rules = given.rules.map((rule) => compileRule(rule, sources));
  checkDistinct(
    'names of rules',
    rules.map(({ rate }) => rate.name),
  );
  return {
    rules,
    jwt,
    store,
    queue,
    secretHeaders,
    timeoutMs: checkPositive('timeoutMs', given.timeoutMs),
    legacyHeaders: checkType('legacyHeaders', given.legacyHeaders!, 'boolean'),
    onError: checkType('onError', given.onError!, 'function'),
  };
}

function checkQueue(given: OverflowQueue | undefined): OverflowQueue | undefined {
  const names = ['accept', 'answerStatus', 'paceBy'];
  return given === undefined ? undefined : checkParts('queue', given, names, 'createOverflowQueue');
}

function checkNames(field: string, given: unknown): string[] {
  if (Array.isArray(given)) return given.map((name) => headerName(field, name));
  throw new RangeError(`${field} must be a list of names of headers, got ${typeof given}`);
}

function checkType<T>(field: string, given: T, type: 'boolean' | 'function'): T {
  if (typeof given === type) return given;
  throw new RangeError(`${field} must be a ${type}, got ${typeof given}`);
}
