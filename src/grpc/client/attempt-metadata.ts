import type { Metadata } from '@grpc/grpc-js';
import type { Hop } from '../../client/dispatch/hop.js';
import { attemptHeaders } from '../../client/dispatch/request-headers.js';
import { NO_DEADLINE, type Random } from '../../core/index.js';
import { BAGGAGE_HEADER, CUSTOMER_HEADER, TIMEOUT_HEADER, TRACE_PARENT_HEADER } from '../../wire/index.js';

/** gRFC A6: how many attempts there were before this one. */
const PREVIOUS_ATTEMPTS = 'grpc-previous-rpc-attempts';

/**
 * The metadata of one attempt: what the caller gave, and the same headers that an HTTP request takes along, but for the
 * time left, which gRPC has a header of its own for.
 */
export function attemptMetadata(
  given: Metadata,
  hop: Hop,
  attempt: number,
  now: number,
  random: Random,
): Metadata {
  const metadata = given.clone();
  const kept = [BAGGAGE_HEADER, TRACE_PARENT_HEADER].flatMap((name) =>
    given.get(name).flatMap((value) => [name, value.toString()]),
  );
  const endless = { ...hop, deadlineMs: NO_DEADLINE };
  // Copied from the request being served, they are an hour old or a lie.
  for (const name of [CUSTOMER_HEADER, TIMEOUT_HEADER, PREVIOUS_ATTEMPTS]) metadata.remove(name);
  const headers = attemptHeaders(kept, endless, attempt, undefined, now, random);
  for (let i = 0; i < headers.length; i += 2) metadata.set(headers[i]!, headers[i + 1]!);
  if (attempt > 1) metadata.set(PREVIOUS_ATTEMPTS, String(attempt - 1));
  return metadata;
}
