import { currentRequest } from '../../context/index.js';
import { checkOneOf, checkPositive } from '../../core/check.js';
import { CRITICALITIES, type Criticality, DEFAULT_CRITICALITY, deadlineAfter } from '../../core/index.js';

/** What a caller may say of one request; else it is taken from the request being served, and then from the client. */
export interface CallOptions {
  /** How bad it would be to refuse it. */
  readonly criticality?: Criticality | undefined;
  /** Who is billed for it. */
  readonly customer?: string | undefined;
  /** From now; the deadline of the request being served holds too. */
  readonly timeoutMs?: number | undefined;
  /** Doing it twice does no harm; by method when not said (RFC 9110, 9.2.2). */
  readonly idempotent?: boolean | undefined;
}

/** What a client says of its requests when nobody else does. */
export interface HopDefaults {
  readonly criticality: Criticality | undefined;
  readonly customer: string | undefined;
  readonly timeoutMs: number | undefined;
}

export function checkCustomer(customer: unknown): void {
  if (typeof customer !== 'string')
    throw new RangeError(`customer must be a string, got ${String(customer)}`);
}

/** What is known of a request before it is sent anywhere. */
export interface Hop {
  readonly criticality: Criticality;
  /** Empty when unknown. */
  readonly customer: string;
  readonly deadlineMs: number;
  /** Of the request being served: refusals keep what belongs to one trace together. */
  readonly traceId: string | undefined;
}

/** Who makes this request, for whom, and until when it makes sense. */
export function hopOf(call: CallOptions, defaults: HopDefaults, now: number): Hop {
  const served = currentRequest();
  const { criticality, timeoutMs, customer } = call;
  if (customer !== undefined) checkCustomer(customer);
  if (criticality !== undefined) checkOneOf('criticality', criticality, CRITICALITIES);
  if (timeoutMs !== undefined) checkPositive('timeoutMs', timeoutMs);
  const ownDeadlineMs = deadlineAfter(now, timeoutMs ?? defaults.timeoutMs);
  return {
    criticality: criticality ?? served?.criticality ?? defaults.criticality ?? DEFAULT_CRITICALITY,
    customer: call.customer ?? (served?.customer || undefined) ?? defaults.customer ?? '',
    deadlineMs: served === undefined ? ownDeadlineMs : Math.min(ownDeadlineMs, served.deadline),
    traceId: served?.traceId,
  };
}

const IDEMPOTENT: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PUT',
  'DELETE',
  'QUERY',
]);

export function isIdempotent(method: string, said: boolean | undefined): boolean {
  return said ?? IDEMPOTENT.has(method);
}
