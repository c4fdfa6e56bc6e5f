import type { Metadata } from '@grpc/grpc-js';
import type { RejectedError } from '../../core/index.js';

/** How far one attempt has come, as far as a policy below the interceptor tells. */
export class AttemptProgress {
  /** One of our policies chooses for it: what follows is known. */
  isFollowed = false;
  /** A connection has it: from now on a backend may have processed it. */
  isStarted = false;
  /** Whom the policy chose. */
  backend: string | undefined = undefined;
  /** Why the policy refused it. */
  rejection: RejectedError | undefined = undefined;
}

/**
 * By the options of an attempt's metadata: grpc-js clones the metadata on its way down and hands on the options themselves.
 * So nothing has to be written into headers that a backend would see. Where that does not hold, nothing is known, and what
 * may have been processed counts as processed.
 */
const known = new WeakMap<object, AttemptProgress>();

/** From here on a policy can tell how far this attempt comes. */
export function follow(metadata: Metadata): AttemptProgress {
  const options = { ...metadata.getOptions() };
  metadata.setOptions(options);
  const progress = new AttemptProgress();
  known.set(options, progress);
  return progress;
}

/** Undefined for calls that did not come through the interceptor. */
export function progressOf(metadata: Metadata): AttemptProgress | undefined {
  return known.get(metadata.getOptions());
}
