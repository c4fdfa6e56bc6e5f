import { ProtoWriter } from '../../wire/protobuf/proto-writer.js';
import type { DescriptorStatus, HeaderValue, LimitResponse } from './limit-response.js';
import { writeStruct } from './struct-message.js';

/** As envoy/service/ratelimit/v3/rls.proto numbers its fields. */
export function writeLimitResponse(response: LimitResponse): Buffer {
  const writer = new ProtoWriter().uint(1, response.code);
  for (const status of response.statuses) writer.message(2, writeStatus(status));
  for (const header of response.responseHeaders) writer.message(3, writeHeader(header));
  for (const header of response.requestHeaders) writer.message(4, writeHeader(header));
  if (response.metadata !== undefined) writer.message(6, writeStruct(response.metadata));
  return writer.finish();
}

function writeStatus({ code, limit, remaining, resetSeconds }: DescriptorStatus): ProtoWriter {
  const writer = new ProtoWriter().uint(1, code);
  if (limit !== undefined) writer.bytes(2, limit.encoded);
  if (remaining > 0) writer.uint(3, remaining);
  // A google.protobuf.Duration.
  if (limit !== undefined) writer.message(4, new ProtoWriter().uint(1, resetSeconds));
  return writer;
}

/** A RateLimitResponse.RateLimit. */
export function writeCurrentLimit(requestsPerUnit: number, unit: number, name: string): Buffer {
  const writer = new ProtoWriter();
  if (requestsPerUnit > 0) writer.uint(1, requestsPerUnit);
  if (unit > 0) writer.uint(2, unit);
  if (name !== '') writer.string(3, name);
  return writer.finish();
}

/** A config.core.v3.HeaderValue. */
function writeHeader({ key, value }: HeaderValue): ProtoWriter {
  return new ProtoWriter().string(1, key).string(2, value);
}
