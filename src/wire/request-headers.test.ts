import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CRITICALITIES } from '../core/index.js';
import { RequestFacts } from './request-facts.js';
import { readRequestHeaders } from './request-headers.js';

/** Any 16 bits, halves of a pair included. */
const ANY_UNIT = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));

function read(...raw: string[]): RequestFacts {
  const facts = new RequestFacts();
  readRequestHeaders(raw, facts);
  return facts;
}

it('finds nothing in a plain request', () => {
  expect(
    read(
      'Host',
      'a',
      'User-Agent',
      'b',
      'Accept',
      '*/*',
      'Connection',
      'keep-alive',
      'X-Forwarded-Proto',
      'https',
    ),
  ).toEqual(new RequestFacts());
});

it('reads all of ours, in any case', () => {
  const id = '0af7651916cd43dd8448eb211c80319c';
  const facts = read(
    ...['X-Request-Criticality', 'SHEDDABLE_PLUS', 'x-envoy-attempt-count', '2'],
    ...['X-ENVOY-EXPECTED-RQ-TIMEOUT-MS', '250', 'Traceparent', `00-${id}-b7ad6b7169203331-01`],
    ...['X-Plimsoll-Customer', 'Acme%20Corp', 'Content-Length', '12', 'Expect', '100-Continue'],
  );
  expect(facts).toMatchObject({
    criticality: 'SHEDDABLE_PLUS',
    attempt: 2,
    timeoutMs: 250,
    customer: 'Acme Corp',
    contentLength: 12,
    hasBody: true,
    expectsContinue: true,
    isUpgrade: false,
    malformed: 0,
  });
  expect(facts.traceId).toBe(id);
});

it('knows every criticality, as we write it and as people do', () => {
  for (const criticality of CRITICALITIES) {
    expect(read('x-request-criticality', criticality).criticality).toBe(criticality);
    expect(read('x-request-criticality', criticality.toLowerCase()).criticality).toBe(criticality);
  }
});

it.each([
  ['x-request-criticality', 'urgent'],
  ['x-envoy-attempt-count', '0'],
  ['x-envoy-attempt-count', '-1'],
  ['x-envoy-attempt-count', '1e3'],
  ['x-envoy-attempt-count', '9999999'],
  ['x-envoy-expected-rq-timeout-ms', '-5'],
  ['x-envoy-expected-rq-timeout-ms', '1.5'],
  ['x-envoy-expected-rq-timeout-ms', '99999999999'],
  ['x-plimsoll-customer', 'a b'],
  ['baggage', 'criticality=urgent'],
])('ignores and counts %s: %s', (name, value) => {
  expect(read(name, value)).toMatchObject({
    criticality: undefined,
    attempt: 1,
    timeoutMs: undefined,
    customer: undefined,
    malformed: 1,
  });
});

it('caps the attempt, and takes a timeout of nothing', () => {
  expect(read('x-envoy-attempt-count', '1').attempt).toBe(1);
  expect(read('x-envoy-attempt-count', '101').attempt).toBe(100);
  expect(read('x-envoy-expected-rq-timeout-ms', '0').timeoutMs).toBe(0);
  expect(read('x-envoy-expected-rq-timeout-ms', '9999999999').timeoutMs).toBe(9_999_999_999);
});

it('takes gRPC’s word for a timeout, and the shorter one of two', () => {
  expect(read('grpc-timeout', '2S').timeoutMs).toBe(2_000);
  expect(read('grpc-timeout', '2S', 'x-envoy-expected-rq-timeout-ms', '500').timeoutMs).toBe(500);
  expect(read('x-envoy-expected-rq-timeout-ms', '5000', 'Grpc-Timeout', '2S').timeoutMs).toBe(2_000);
  expect(read('grpc-timeout', '2 S')).toMatchObject({ timeoutMs: undefined, malformed: 1 });
});

it.each([
  ['x-request-criticality', 'CRITICAL', 'SHEDDABLE', 'criticality', 'CRITICAL'],
  ['x-envoy-attempt-count', '2', '3', 'attempt', 2],
  ['x-envoy-expected-rq-timeout-ms', '7', '900', 'timeoutMs', 7],
  ['x-plimsoll-customer', 'a', 'b', 'customer', 'a'],
  ['traceparent', 'a', 'b', 'traceparent', 'a'],
] as const)('takes the first of two: %s', (name, first, second, field, value) => {
  const facts = read(name, first, name.toUpperCase(), second);
  expect(facts[field]).toBe(value);
  expect(facts.malformed).toBe(1);
});

it('does not let a second one mend a first that is malformed', () => {
  const facts = read('x-envoy-attempt-count', 'x', 'x-envoy-attempt-count', '3');
  expect(facts).toMatchObject({ attempt: 1, malformed: 2 });
});

it('looks into the baggage when nothing else says how critical it is', () => {
  expect(read('baggage', 'a=1', 'Baggage', 'criticality=SHEDDABLE').criticality).toBe('SHEDDABLE');
  expect(read('baggage', 'criticality=SHEDDABLE', 'baggage', 'criticality=CRITICAL').criticality).toBe(
    'SHEDDABLE',
  );
  expect(read('baggage', 'criticality=SHEDDABLE', 'x-request-criticality', 'CRITICAL').criticality).toBe(
    'CRITICAL',
  );
  expect(read('baggage', 'criticality=SHEDDABLE', 'x-request-criticality', 'nonsense')).toMatchObject({
    criticality: 'SHEDDABLE',
    malformed: 1,
  });
  expect(read('baggage', 'criticality=nonsense', 'x-request-criticality', 'CRITICAL').malformed).toBe(0);
  expect(read('baggage', 'a=1', 'host', 'b')).toMatchObject({ criticality: undefined, malformed: 0 });
});

it('sees whether a body follows', () => {
  expect(read('content-length', '0')).toMatchObject({ hasBody: false, contentLength: 0 });
  expect(read('content-length', '1')).toMatchObject({ hasBody: true, contentLength: 1 });
  expect(read('content-length', 'x')).toMatchObject({
    hasBody: true,
    contentLength: undefined,
    malformed: 1,
  });
  expect(read('transfer-encoding', 'chunked')).toMatchObject({ hasBody: true, contentLength: undefined });
  expect(read('transfer-encoding', 'chunked', 'content-length', '0').hasBody).toBe(true);
});

it('sees whether it waits to be told to continue', () => {
  expect(read('expect', '100-continue').expectsContinue).toBe(true);
  expect(read('expect', '200-ok').expectsContinue).toBe(false);
  expect(read('except', '100-continue').expectsContinue).toBe(false);
});

it('sees an upgrade, which takes two headers', () => {
  expect(read('Upgrade', 'websocket', 'Connection', 'Upgrade').isUpgrade).toBe(true);
  expect(read('connection', 'keep-alive, UPGRADE', 'upgrade', 'websocket').isUpgrade).toBe(true);
  expect(read('connection', 'close', 'connection', 'upgrade', 'upgrade', 'h2c').isUpgrade).toBe(true);
  expect(read('upgrade', 'websocket').isUpgrade).toBe(false);
  expect(read('connection', 'upgrade').isUpgrade).toBe(false);
  expect(read('upgrade', 'h2c', 'connection', 'keep-alive, no-upgrade').isUpgrade).toBe(false);
  expect(read('upgrade', 'h2c', 'connection', `${','.repeat(256)}upgrade`).isUpgrade).toBe(false);
});

it('forgets the request before', () => {
  const facts = new RequestFacts();
  const raw = [
    'expect',
    '100-continue',
    'content-length',
    '3',
    'traceparent',
    'x',
    'x-plimsoll-customer',
    'a',
  ];
  readRequestHeaders([...raw, 'upgrade', 'a', 'connection', 'upgrade', 'x-envoy-attempt-count', '0'], facts);
  expect(facts.traceId).toBeUndefined();
  readRequestHeaders(['host', 'a'], facts);
  expect(facts).toEqual(new RequestFacts());
});

it('passes over a name without a value', () => {
  expect(read('x-envoy-attempt-count')).toEqual(new RequestFacts());
  expect(read('baggage', 'a=1', 'baggage').criticality).toBeUndefined();
  expect(read('upgrade', 'a', 'connection').isUpgrade).toBe(false);
});

it('stays within bounds, whatever comes', () => {
  const names = [
    ...['expect', 'upgrade', 'baggage', 'connection', 'traceparent', 'content-length', 'transfer-encoding'],
    ...[
      'x-plimsoll-customer',
      'x-request-criticality',
      'x-envoy-attempt-count',
      'x-envoy-expected-rq-timeout-ms',
    ],
  ];
  const name = fc.oneof(fc.constantFrom(...names), fc.mixedCase(fc.constantFrom(...names)), fc.string());
  const value = fc.oneof(
    fc.string({ unit: ANY_UNIT, size: 'small' }),
    fc.double().map(String),
    fc.bigInt().map(String),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 12 }), (pairs) => {
      const facts = read(...pairs.flat());
      expect(facts.attempt).toSatisfy((n: number) => Number.isInteger(n) && n >= 1 && n <= 100);
      for (const number of [facts.timeoutMs ?? 0, facts.contentLength ?? 0]) {
        expect(number).toSatisfy((n: number) => Number.isSafeInteger(n) && n >= 0);
      }
      expect([undefined, ...CRITICALITIES]).toContain(facts.criticality);
      expect((facts.customer ?? '').length).toBeLessThanOrEqual(128);
      expect(facts.traceId ?? '').toMatch(/^([0-9a-f]{32})?$/);
      expect(facts.malformed).toBeLessThanOrEqual(pairs.length + 1);
    }),
  );
});

it("reads gRPC's count of earlier attempts", () => {
  expect(read('grpc-previous-rpc-attempts', '0').attempt).toBe(1);
  expect(read('Grpc-Previous-Rpc-Attempts', '2').attempt).toBe(3);
  expect(read('grpc-previous-rpc-attempts', '99999').attempt).toBe(100);
  expect(read('grpc-previous-rpc-attempts', '1', 'x-envoy-attempt-count', '4').attempt).toBe(4);
  expect(read('x-envoy-attempt-count', '2', 'grpc-previous-rpc-attempts', '4').attempt).toBe(5);
  expect(read('grpc-previous-rpc-attempts', '-1')).toMatchObject({ attempt: 1, malformed: 1 });
  const twice = read('grpc-previous-rpc-attempts', '1', 'grpc-previous-rpc-attempts', '3');
  expect(twice).toMatchObject({ attempt: 2, malformed: 1 });
});
