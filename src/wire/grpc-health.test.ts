import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import {
  decodeHealthRequest,
  decodeHealthResponse,
  encodeHealthList,
  encodeHealthRequest,
  encodeHealthResponse,
  SERVING_STATUS,
} from './grpc-health.js';

/** grpc/health/v1/health.proto. */
const { HealthCheckRequest, HealthCheckResponse, HealthListResponse } = protobuf.parse(`
  syntax = "proto3";
  message HealthCheckRequest { string service = 1; }
  message HealthCheckResponse {
    enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
    ServingStatus status = 1;
  }
  message HealthListResponse { map<string, HealthCheckResponse> statuses = 1; }
`).root as unknown as Record<string, protobuf.Type>;

describe('messages of grpc.health.v1', () => {
  it('are those that others write and read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat({ max: 3 }), (service, status) => {
        expect(decodeHealthRequest(HealthCheckRequest!.encode({ service }).finish())).toBe(service);
        expect(HealthCheckRequest!.decode(encodeHealthRequest(service))).toMatchObject({ service });
        expect(HealthCheckResponse!.decode(encodeHealthResponse(status))).toMatchObject({ status });
        expect(decodeHealthResponse(HealthCheckResponse!.encode({ status }).finish())).toBe(status);
      }),
    );
    const list = encodeHealthList([
      ['', SERVING_STATUS.serving],
      ['a.B', SERVING_STATUS.notServing],
    ]);
    expect(HealthListResponse!.toObject(HealthListResponse!.decode(list))).toEqual({
      statuses: { '': { status: 1 }, 'a.B': { status: 2 } },
    });
  });

  it.each([
    ['too long', Buffer.alloc(1_025)],
    ['cut off', encodeHealthRequest('abc').subarray(0, 3)],
  ])('are not read when they are %s', (_, bytes) => {
    expect(() => decodeHealthRequest(bytes)).toThrow(RangeError);
  });

  it('are empty where everything is as it would be if nothing was said', () => {
    expect(decodeHealthRequest(Buffer.alloc(0))).toBe('');
    expect(decodeHealthResponse(Buffer.alloc(0))).toBe(SERVING_STATUS.unknown);
  });
});
