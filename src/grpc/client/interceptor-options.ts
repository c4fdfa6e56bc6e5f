import type { CallOptions as GrpcCallOptions } from '@grpc/grpc-js';
import { RETRY_DEFAULTS, type RetryOptions } from '../../client/client-options.js';
import { checkRetry } from '../../client/client-settings.js';
import { type CallOptions, checkCustomer, type HopDefaults } from '../../client/dispatch/hop.js';
import { checkOneOf, checkPositive, withDefaults } from '../../core/check.js';
import { CRITICALITIES, type Criticality, type Environment, type ThrottleOptions } from '../../core/index.js';
import { HERE } from './environment.js';

/** As the client for HTTP has it: bodies are messages here, and kept whole. */
export type GrpcRetryOptions = Pick<RetryOptions, 'maxAttempts' | 'budget'>;

/** What holds for the calls of one service. */
export interface InterceptorOptions {
  /** The service's name, in statistics and metrics. */
  readonly service?: string;
  /** How much more than was accepted is sent; `false`: as much as is asked for. */
  readonly throttle?: Partial<ThrottleOptions> | false;
  /** `false`: one attempt. */
  readonly retry?: Partial<GrpcRetryOptions> | false;
  /**
   * Which methods may be done twice: all or none, some by their path (`/greeter.Greeter/SayHello`), or asked for each. What a
   * proto file says of a method (`idempotency_level`) counts too, and what is said of a call counts first.
   */
  readonly idempotent?: boolean | readonly string[] | ((path: string) => boolean);
  /** For calls that say nothing else, made outside of a guarded request. */
  readonly criticality?: Criticality;
  /** Who is billed for calls that say nothing else. */
  readonly customer?: string;
  /** How long calls that say nothing else may take, retries included. */
  readonly timeoutMs?: number;
  /** A span for each attempt, where there is a tracer. */
  readonly spans?: boolean;
  /** Time and chance; for tests. */
  readonly environment?: Environment;
}

/** Options as they are used: checked, with their defaults. */
export interface InterceptorSettings {
  readonly service: string;
  readonly throttle: Partial<ThrottleOptions> | false | undefined;
  readonly retry: GrpcRetryOptions;
  readonly isIdempotent: (path: string) => boolean;
  readonly hop: HopDefaults;
  readonly spans: boolean;
  readonly environment: Environment;
}

/** All that there are: a misspelt one is refused. */
const NAMES: Record<keyof InterceptorOptions, undefined> = {
  service: undefined,
  throttle: undefined,
  retry: undefined,
  idempotent: undefined,
  criticality: undefined,
  customer: undefined,
  timeoutMs: undefined,
  spans: undefined,
  environment: undefined,
};

const RETRY_NAMES: GrpcRetryOptions = {
  maxAttempts: RETRY_DEFAULTS.maxAttempts,
  budget: RETRY_DEFAULTS.budget,
};

export function checkInterceptorOptions(options: InterceptorOptions): InterceptorSettings {
  withDefaults<object>('plimsollInterceptor', NAMES, options);
  const { criticality, timeoutMs, customer, retry } = options;
  if (criticality !== undefined) checkOneOf('criticality', criticality, CRITICALITIES);
  if (timeoutMs !== undefined) checkPositive('timeoutMs', timeoutMs);
  if (customer !== undefined) checkCustomer(customer);
  if (retry !== undefined && retry !== false) withDefaults('retry', RETRY_NAMES, retry);
  return {
    service: options.service ?? 'service',
    throttle: options.throttle,
    retry: checkRetry(retry),
    isIdempotent: idempotencyOf(options.idempotent ?? false),
    hop: { criticality, customer, timeoutMs },
    spans: options.spans ?? true,
    environment: options.environment ?? HERE,
  };
}

function idempotencyOf(given: NonNullable<InterceptorOptions['idempotent']>): (path: string) => boolean {
  if (typeof given === 'function') return given;
  if (typeof given === 'boolean') return () => given;
  if (!Array.isArray(given))
    throw new RangeError(`idempotent must be a boolean, paths or a function, got ${String(given)}`);
  for (const path of given as readonly string[])
    if (!/^\/[^/]+\/[^/]+$/.test(path))
      throw new RangeError(
        `idempotent must hold paths such as /package.Service/Method, got ${JSON.stringify(path)}`,
      );
  const paths = new Set(given as readonly string[]);
  return (path) => paths.has(path);
}

/** Grpc-js hands on to interceptors whatever stands in the options of a call. */
export interface PlimsollCallOptions extends GrpcCallOptions {
  /** What is said of this call: made by `callOptions`. */
  readonly plimsoll?: CallOptions;
}

/**
 * Options of one call, with what Plimsoll is to know of it: `client.sayHello(request, callOptions({ idempotent: true }))`.
 */
export function callOptions(call: CallOptions, options: GrpcCallOptions = {}): PlimsollCallOptions {
  withDefaults<object>('callOptions', CALL_NAMES, call);
  return { ...options, plimsoll: call };
}

const CALL_NAMES: Record<keyof CallOptions, undefined> = {
  criticality: undefined,
  customer: undefined,
  timeoutMs: undefined,
  idempotent: undefined,
};
