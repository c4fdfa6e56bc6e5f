import { ProtoReader } from '../../wire/protobuf/proto-reader.js';
import { ProtoWriter } from '../../wire/protobuf/proto-writer.js';

/** The service that a grpc.health.v1.HealthCheckRequest asks about; '' is all of them. */
export function readHealthRequest(bytes: Uint8Array): string {
  const reader = new ProtoReader(bytes);
  let service = '';
  while (reader.next()) if (reader.field === 1) service = reader.string();
  return service;
}

const SERVING = 1;
const NOT_SERVING = 2;

/** A grpc.health.v1.HealthCheckResponse. */
export function writeHealthResponse(isServing: boolean): Buffer {
  return new ProtoWriter().uint(1, isServing ? SERVING : NOT_SERVING).finish();
}
