import type { Http2Fields } from './http2-fields.js';
import { PUSHBACK_HEADER, RETRY_AFTER_HEADER } from './names.js';
import { parseDigits } from './text.js';

/** Of the statuses of gRPC those that we have a use for. */
export const GRPC_STATUS = Object.freeze({
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
});

/**
 * What a refusal is to a gRPC client. As gRPC maps statuses of proxies itself (http-grpc-status-mapping), but for those of
 * which we know more: a limit or a body that is too long is no outage, and a deadline is a deadline.
 */
export function grpcStatusOf(status: number): number {
  switch (status) {
    case 400:
    case 500:
    case 508:
      return GRPC_STATUS.internal;
    case 401:
      return GRPC_STATUS.unauthenticated;
    case 403:
      return GRPC_STATUS.permissionDenied;
    case 404:
    case 405:
    case 501:
      return GRPC_STATUS.unimplemented;
    case 413:
    case 429:
    case 431:
      return GRPC_STATUS.resourceExhausted;
    case 408:
    case 504:
      return GRPC_STATUS.deadlineExceeded;
    case 502:
    case 503:
      return GRPC_STATUS.unavailable;
    default:
      return GRPC_STATUS.unknown;
  }
}

const MESSAGES: Readonly<Record<number, string>> = Object.freeze({
  2: 'unexpected answer',
  4: 'deadline exceeded',
  7: 'permission denied',
  8: 'limit exceeded',
  12: 'no such route',
  13: 'the request cannot be served',
  14: 'service unavailable',
  16: 'not known',
});

/** Fields of an answer that has no body: what it said of one is nothing any more. */
const OF_BODY: ReadonlySet<string> = new Set(['content-type', 'content-length', 'content-encoding', 'etag']);

/** An answer that is none of gRPC's as one: status 200, and everything in its head ("Trailers-Only"). */
export function toTrailersOnly(status: number, given: Http2Fields): Http2Fields {
  const code = grpcStatusOf(status);
  const fields: Http2Fields = { 'content-type': 'application/grpc', ...endFields(code) };
  for (const [name, value] of Object.entries(given)) if (!OF_BODY.has(name)) fields[name] ??= value;
  const pushback = fields[PUSHBACK_HEADER] ?? pushbackOf(given);
  // gRFC A6: when to come again; below zero, not at all.
  if (pushback !== undefined) fields[PUSHBACK_HEADER] = pushback;
  return fields;
}

/** How a call ends that has begun to be answered. */
export function endFields(code: number): Http2Fields {
  return { 'grpc-status': String(code), 'grpc-message': MESSAGES[code] ?? '' };
}

const LONGEST_SECONDS_DIGITS = 5;

function pushbackOf({ [RETRY_AFTER_HEADER]: said }: Http2Fields): string | undefined {
  const seconds = parseDigits(typeof said === 'string' ? said : '', LONGEST_SECONDS_DIGITS);
  return seconds < 0 ? undefined : String(seconds * 1_000);
}

/** Those that say that the server failed, and not its caller (OpenTelemetry's conventions for spans of gRPC servers). */
const FAILURES: ReadonlySet<number> = new Set([
  GRPC_STATUS.unknown,
  GRPC_STATUS.deadlineExceeded,
  GRPC_STATUS.unimplemented,
  GRPC_STATUS.internal,
  GRPC_STATUS.unavailable,
  GRPC_STATUS.dataLoss,
]);

export function isGrpcFailure(code: number): boolean {
  return FAILURES.has(code);
}
