import { endFields, GRPC_STATUS } from './grpc-status.js';
import type { Http2Fields } from './http2-fields.js';
import { OVERLOADED_HEADER, PUSHBACK_HEADER, RATE_LIMITED_HEADER } from './names.js';
import type { AnswerName } from './refusal-answer.js';

/** A refusal as a status of gRPC, and what else its client is told. */
export interface GrpcRefusal {
  readonly code: number;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
}

function refusal(code: number, message: string, metadata: Record<string, string>): GrpcRefusal {
  return Object.freeze({ code, message, metadata: Object.freeze(metadata) });
}

/** Shed by us, and provably not processed: a handler's own UNAVAILABLE does not say so. */
const SHED = { [OVERLOADED_HEADER]: 'true' };
/** gRFC A6: a negative pushback means do not retry. */
const NO_RETRY = { [PUSHBACK_HEADER]: '-1' };

/**
 * What `ANSWERS` are to gRPC clients. No pushback where another backend may do it: it would hold up an attempt that goes
 * elsewhere, and without one the client's own backoff holds.
 */
export const GRPC_REFUSALS: Readonly<Record<AnswerName, GrpcRefusal>> = Object.freeze({
  'task-overloaded': refusal(GRPC_STATUS.unavailable, 'overloaded', SHED),
  'overloaded-no-retry': refusal(GRPC_STATUS.unavailable, 'overloaded', { ...SHED, ...NO_RETRY }),
  // As `retry-after` has it for HTTP: quotas are counted over seconds.
  limited: refusal(GRPC_STATUS.resourceExhausted, 'quota exceeded', {
    [RATE_LIMITED_HEADER]: 'true',
    [PUSHBACK_HEADER]: '1000',
  }),
  late: refusal(GRPC_STATUS.deadlineExceeded, 'deadline exceeded', { ...SHED, ...NO_RETRY }),
  'not-ready': refusal(GRPC_STATUS.unavailable, 'not ready', SHED),
});

/** A whole answer without a message ("Trailers-Only"). */
export function grpcRefusalFields(name: AnswerName): Http2Fields {
  const { code, message, metadata } = GRPC_REFUSALS[name];
  return {
    ':status': '200',
    'content-type': 'application/grpc',
    ...endFields(code),
    'grpc-message': message,
    ...metadata,
  };
}
