import type { InterceptorOptions as GivenOptions } from '@grpc/grpc-js';
import { type CallOptions, type Hop, hopOf } from '../../client/dispatch/hop.js';
import {
  type CallRequest,
  deadlineAfter,
  type Environment,
  NO_DEADLINE,
  remainingMs,
} from '../../core/index.js';
import type { InterceptorSettings, PlimsollCallOptions } from './interceptor-options.js';

/** As proto-loader tells of a method; grpc-js has no type for it. */
interface DescribedMethod {
  readonly path: string;
  readonly options?: { readonly idempotency_level?: string };
}

/** What is known of a call before it is sent anywhere. */
export interface CallFacts {
  readonly hop: Hop;
  readonly request: CallRequest;
}

/** By the call, the request being served, and what the interceptor was told, in this order. */
export function factsOf(options: GivenOptions, settings: InterceptorSettings, now: number): CallFacts {
  const call: CallOptions = (options as PlimsollCallOptions).plimsoll ?? {};
  const { environment } = settings;
  const givenMs = timeoutOf(options.deadline, environment);
  // Who gives gRPC's own deadline does not mean the interceptor's.
  const defaults = givenMs === undefined ? settings.hop : { ...settings.hop, timeoutMs: undefined };
  const hop = hopOf(call, defaults, now);
  const deadlineMs = givenMs === undefined ? hop.deadlineMs : Math.min(hop.deadlineMs, now + givenMs);
  const { customer, criticality } = hop;
  const isIdempotent = call.idempotent ?? isDeclared(options.method_definition, settings);
  return {
    hop: { ...hop, deadlineMs },
    request: { customer, criticality, deadlineMs, isIdempotent },
  };
}

function isDeclared(method: DescribedMethod, settings: InterceptorSettings): boolean {
  const level = method.options?.idempotency_level;
  return level === 'IDEMPOTENT' || level === 'NO_SIDE_EFFECTS' || settings.isIdempotent(method.path);
}

/** A deadline of gRPC is an instant by the clock on the wall. */
function timeoutOf(deadline: GivenOptions['deadline'], environment: Environment): number | undefined {
  if (deadline === undefined || deadline === Number.POSITIVE_INFINITY) return undefined;
  return Number(deadline) - environment.wallMs();
}

/** The same the other way round. */
export function wallDeadline(deadlineMs: number, now: number, environment: Environment): number {
  return deadlineMs === NO_DEADLINE
    ? deadlineMs
    : deadlineAfter(environment.wallMs(), remainingMs(deadlineMs, now));
}
