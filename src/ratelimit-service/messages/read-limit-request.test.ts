import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { readHealthRequest, writeHealthResponse } from './health-messages.js';
import { limitRequestOfJson, limitResponseAsJson } from './json-messages.js';
import { readLimitRequest } from './read-limit-request.js';
import { writeCurrentLimit, writeLimitResponse } from './write-limit-response.js';

/** The fields of Envoy's messages by their numbers, in a library that others use. */
const { root } = protobuf.parse(`syntax = "proto3";
message Entry { string key = 1; string value = 2; }
message Override { uint32 requests_per_unit = 1; int32 unit = 2; }
message UInt64Value { uint64 value = 1; }
message Descriptor { repeated Entry entries = 1; Override limit = 2; UInt64Value hits_addend = 3; bool is_negative_hits = 4; }
message Request { string domain = 1; repeated Descriptor descriptors = 2; uint32 hits_addend = 3; string later = 99; }
message Limit { uint32 requests_per_unit = 1; int32 unit = 2; string name = 3; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
message Status { int32 code = 1; Limit current_limit = 2; uint32 limit_remaining = 3; Duration duration_until_reset = 4; }
message Header { string key = 1; string value = 2; }
message Value { oneof kind { int32 null_value = 1; double number_value = 2; string string_value = 3; bool bool_value = 4; Struct struct_value = 5; List list_value = 6; } }
message List { repeated Value values = 1; }
message Struct { map<string, Value> fields = 1; }
message Response { int32 overall_code = 1; repeated Status statuses = 2; repeated Header response_headers_to_add = 3; repeated Header request_headers_to_add = 4; Struct dynamic_metadata = 6; }
`);
const encode = (type: string, value: object) => Buffer.from(root.lookupType(type).encode(value).finish());

describe('readLimitRequest', () => {
  it('reads what a library has written', () => {
    const bytes = encode('Request', {
      domain: 'dömäin',
      hitsAddend: 7,
      later: 'not known here',
      descriptors: [
        { entries: [{ key: 'a', value: '1' }, { key: 'b' }] },
        {
          entries: [{ key: 'c', value: '2' }],
          limit: { requestsPerUnit: 4_294_967_295, unit: 3 },
          hitsAddend: { value: 0 },
          isNegativeHits: true,
        },
      ],
    });
    const none = { override: undefined, hits: undefined, isNegative: false };
    expect(readLimitRequest(bytes)).toEqual({
      domain: 'dömäin',
      hitsAddend: 7,
      descriptors: [
        {
          ...none,
          entries: [
            { key: 'a', value: '1' },
            { key: 'b', value: '' },
          ],
        },
        {
          entries: [{ key: 'c', value: '2' }],
          override: { requestsPerUnit: 4_294_967_295, unit: 3 },
          hits: 0,
          isNegative: true,
        },
      ],
    });
  });

  it('bounds how much a call asks', () => {
    const many = (count: number) => Array.from({ length: count }, () => ({}));
    expect(() => readLimitRequest(encode('Request', { descriptors: many(101) }))).toThrow('100 at the most');
    const deep = { descriptors: [{ entries: many(51) }] };
    expect(() => readLimitRequest(encode('Request', deep))).toThrow('50 at the most');
    const large = { descriptors: [{ hitsAddend: { value: 2 ** 50 } }] };
    expect(() => readLimitRequest(encode('Request', large))).toThrow('hits_addend');
  });

  it('refuses what is cut off', () => {
    const bytes = encode('Request', { domain: 'd', descriptors: [{ entries: [{ key: 'a', value: '1' }] }] });
    for (let length = 1; length < bytes.length; length++) {
      if (length === 3) continue; // Where the first field ends.
      expect(() => readLimitRequest(bytes.subarray(0, length))).toThrow(RangeError);
    }
  });
});

const LIMIT = { requestsPerUnit: 5, unit: 2, name: 'n', encoded: writeCurrentLimit(5, 2, 'n') };
const RESPONSE = {
  code: 2,
  statuses: [
    { code: 2, limit: LIMIT, remaining: 0, resetSeconds: 30 },
    { code: 1, limit: undefined, remaining: 4_294_967_295, resetSeconds: 0 },
  ],
  responseHeaders: [{ key: 'RateLimit-Limit', value: '5' }],
  requestHeaders: [{ key: 'x', value: 'y' }],
  metadata: { list: [1, 'two', true, null], inner: { a: 'b' } },
};

describe('writeLimitResponse', () => {
  it('writes what a library reads', () => {
    const read = root.lookupType('Response').decode(writeLimitResponse(RESPONSE));
    const { dynamicMetadata, ...rest } = read.toJSON() as { dynamicMetadata: object };
    expect(rest).toEqual({
      overallCode: 2,
      statuses: [
        {
          code: 2,
          currentLimit: { requestsPerUnit: 5, unit: 2, name: 'n' },
          durationUntilReset: { seconds: '30' },
        },
        { code: 1, limitRemaining: 4_294_967_295 },
      ],
      responseHeadersToAdd: [{ key: 'RateLimit-Limit', value: '5' }],
      requestHeadersToAdd: [{ key: 'x', value: 'y' }],
    });
    const values = [{ numberValue: 1 }, { stringValue: 'two' }, { boolValue: true }, { nullValue: 0 }];
    expect(dynamicMetadata).toEqual({
      fields: {
        list: { listValue: { values } },
        inner: { structValue: { fields: { a: { stringValue: 'b' } } } },
      },
    });
  });
});

describe('JSON', () => {
  it('is read with names of either kind', () => {
    const entries = [{ key: 'a', value: '1' }];
    const request = limitRequestOfJson({
      domain: 'd',
      hits_addend: 3,
      descriptors: [{ entries, hitsAddend: '2', limit: { requestsPerUnit: 4, unit: 'HOUR' } }],
    });
    expect(request).toEqual({
      domain: 'd',
      hitsAddend: 3,
      descriptors: [{ entries, hits: 2, isNegative: false, override: { requestsPerUnit: 4, unit: 3 } }],
    });
  });

  it.each([
    [[], 'must be an object'],
    [{ domian: 'd' }, 'no field "domian"'],
    [{ domain: 5 }, 'domain must be text'],
    [{ descriptors: {} }, 'must be a list'],
    [{ hitsAddend: -1 }, 'hits_addend'],
    [{ hitsAddend: true }, 'hits_addend'],
    [{ descriptors: [{ isNegativeHits: 1 }] }, 'true or false'],
  ])('refuses %j', (json, words) => {
    expect(() => limitRequestOfJson(json)).toThrow(words);
  });

  it('is written as proto3 has it', () => {
    expect(JSON.parse(limitResponseAsJson(RESPONSE))).toEqual({
      overallCode: 'OVER_LIMIT',
      statuses: [
        {
          code: 'OVER_LIMIT',
          currentLimit: { requestsPerUnit: 5, unit: 'MINUTE', name: 'n' },
          durationUntilReset: '30s',
        },
        { code: 'OK', limitRemaining: 4_294_967_295 },
      ],
      responseHeadersToAdd: [{ key: 'RateLimit-Limit', value: '5' }],
      requestHeadersToAdd: [{ key: 'x', value: 'y' }],
      dynamicMetadata: { list: [1, 'two', true, null], inner: { a: 'b' } },
    });
  });
});

describe('health', () => {
  it('is asked by name and answered by number', () => {
    expect(readHealthRequest(encode('Entry', { key: 'ratelimit' }))).toBe('ratelimit');
    expect(readHealthRequest(Buffer.alloc(0))).toBe('');
    expect([...writeHealthResponse(true), ...writeHealthResponse(false)]).toEqual([8, 1, 8, 2]);
  });
});
