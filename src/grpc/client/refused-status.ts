import type { Metadata, StatusObject } from '@grpc/grpc-js';
import type { RejectedError } from '../../core/index.js';
import {
  LAME_DUCK_HEADER,
  LOAD_REPORT_HEADER,
  LOAD_REPORT_TRAILER,
  OVERLOADED_HEADER,
  PUSHBACK_HEADER,
} from '../../wire/index.js';
import { DEADLINE_EXCEEDED, OK, UNAVAILABLE } from './status-codes.js';

/** Grpc-js copies what a status has onto the error that it makes of it: `error.cause` is the refusal. */
export interface RefusedStatus extends StatusObject {
  readonly cause: RejectedError;
}

/** Grpc-js need not be imported: whoever has metadata has its class. */
export function emptyMetadata(like: Metadata): Metadata {
  return new (like.constructor as typeof Metadata)();
}

/**
 * What a call ends with that was refused here. The metadata says *don't retry*: a gRPC handler that hands the error on as it
 * is answers its own caller with it, who then does not try again either.
 */
export function refusedStatus(error: RejectedError, like: Metadata): RefusedStatus {
  const metadata = emptyMetadata(like);
  sayDontRetry(metadata);
  const code = error.code === 'PLIMSOLL_DEADLINE' ? DEADLINE_EXCEEDED : UNAVAILABLE;
  return { code, details: `${error.code}: ${error.message}`, metadata, cause: error };
}

/** A backend's refusal after which there is no attempt: for the layer above it is final, whichever of the two it was. */
export function finalRefusal(status: StatusObject, error: RejectedError): RefusedStatus {
  const metadata = status.metadata.clone();
  sayDontRetry(metadata);
  return { code: status.code, details: status.details, metadata, cause: error };
}

/**
 * A failure that was called a refusal after its answer had begun. A handler that hands it on would answer with these trailers
 * alone, and the layer above would take them for a proof that nothing was processed.
 */
export function finalFailure(status: StatusObject): StatusObject {
  if (status.metadata.get(OVERLOADED_HEADER).length === 0) return status;
  const metadata = status.metadata.clone();
  sayDontRetry(metadata);
  return { ...status, metadata };
}

/** What a backend says of itself to whoever calls it (gRFC A51, and our own). */
const HOP_FIELDS = [LOAD_REPORT_TRAILER, LOAD_REPORT_HEADER, LAME_DUCK_HEADER] as const;

/**
 * A status as the caller gets it. Handlers hand errors of their calls on as they are: the load of a backend of theirs would
 * then be theirs, and who is about to leave would take them along.
 */
export function withoutHopFields(status: StatusObject): StatusObject {
  const { code, metadata } = status;
  if (code === OK || HOP_FIELDS.every((name) => metadata.get(name).length === 0)) return status;
  const kept = metadata.clone();
  for (const name of HOP_FIELDS) kept.remove(name);
  return { ...status, metadata: kept };
}

function sayDontRetry(metadata: Metadata): void {
  metadata.set(OVERLOADED_HEADER, 'true');
  metadata.set(PUSHBACK_HEADER, '-1');
}
