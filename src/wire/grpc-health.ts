import { ProtoReader } from './protobuf/proto-reader.js';
import { ProtoWriter } from './protobuf/proto-writer.js';

/** `grpc.health.v1.HealthCheckResponse.ServingStatus`. */
export const SERVING_STATUS = Object.freeze({ unknown: 0, serving: 1, notServing: 2, serviceUnknown: 3 });

export const GRPC_HEALTH_SERVICE = 'grpc.health.v1.Health';

/** Names of services are no longer; a request from outside that is says nothing. */
const MOST_BYTES = 1_024;

/** Which service is asked for; '' is the server as a whole. Throws a RangeError when it is no such message. */
export function decodeHealthRequest(bytes: Uint8Array): string {
  if (bytes.length > MOST_BYTES) throw new RangeError(`a health request has ${bytes.length} bytes`);
  const reader = new ProtoReader(bytes);
  let service = '';
  while (reader.next()) if (reader.field === 1) service = reader.string();
  return service;
}

export function encodeHealthRequest(service: string): Buffer {
  return new ProtoWriter().string(1, service).finish();
}

export function encodeHealthResponse(status: number): Buffer {
  return new ProtoWriter().uint(1, status).finish();
}

/** A RangeError when it is no such message. */
export function decodeHealthResponse(bytes: Uint8Array): number {
  const reader = new ProtoReader(bytes);
  let status: number = SERVING_STATUS.unknown;
  while (reader.next()) if (reader.field === 1) status = reader.uint();
  return status;
}

/** `HealthListResponse`: a status for each service. */
export function encodeHealthList(statuses: Iterable<readonly [string, number]>): Buffer {
  const writer = new ProtoWriter();
  for (const [service, status] of statuses) {
    const entry = new ProtoWriter().string(1, service).message(2, new ProtoWriter().uint(1, status));
    writer.message(1, entry);
  }
  return writer.finish();
}
