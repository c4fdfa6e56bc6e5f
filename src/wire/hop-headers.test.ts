import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CRITICALITIES } from '../core/index.js';
import { type HopFacts, writeRequestHeaders } from './hop-headers.js';
import { RequestFacts } from './request-facts.js';
import { readRequestHeaders } from './request-headers.js';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

it('says what it has to, and no more', () => {
  expect(writeRequestHeaders(['accept', '*/*'], { criticality: 'CRITICAL', attempt: 1 })).toEqual([
    ...['accept', '*/*', 'x-request-criticality', 'CRITICAL', 'x-envoy-attempt-count', '1'],
    ...['baggage', 'criticality=CRITICAL'],
  ]);
});

it('says all it knows', () => {
  const hop: HopFacts = {
    criticality: 'SHEDDABLE',
    attempt: 2,
    timeoutMs: 99.9,
    customer: 'Acme Corp',
    traceparent: TRACE,
  };
  expect(writeRequestHeaders([], hop)).toEqual([
    ...[
      'x-request-criticality',
      'SHEDDABLE',
      'x-envoy-attempt-count',
      '2',
      'baggage',
      'criticality=SHEDDABLE',
    ],
    ...['x-envoy-expected-rq-timeout-ms', '99', 'x-plimsoll-customer', 'Acme%20Corp', 'traceparent', TRACE],
  ]);
});

it('takes the place of what the caller copied', () => {
  const copied = ['X-Request-Criticality', 'CRITICAL_PLUS', 'X-Envoy-Attempt-Count', '3', 'host', 'a'];
  const more = [
    'x-envoy-expected-rq-timeout-ms',
    '9',
    'X-Plimsoll-Customer',
    'b',
    'x-request-criticality',
    'x',
    'Grpc-Previous-Rpc-Attempts',
    '90',
  ];
  expect(writeRequestHeaders([...copied, ...more, 'odd'], { criticality: 'SHEDDABLE', attempt: 1 })).toEqual([
    ...['host', 'a', 'x-request-criticality', 'SHEDDABLE', 'x-envoy-attempt-count', '1'],
    ...['baggage', 'criticality=SHEDDABLE'],
  ]);
});

it('keeps the other members of the baggage, from all its headers', () => {
  const given = ['baggage', 'user=7,criticality=CRITICAL', 'Baggage', 'x=1'];
  const headers = writeRequestHeaders(given, { criticality: 'SHEDDABLE', attempt: 1 });
  expect(headers.filter((_, i) => /^baggage$/i.test(headers[i - 1] ?? ''))).toEqual([
    'user=7,x=1,criticality=SHEDDABLE',
  ]);
});

it('leaves a tracer’s own parent in place', () => {
  const headers = writeRequestHeaders(['TraceParent', 'own'], {
    criticality: 'CRITICAL',
    attempt: 1,
    traceparent: TRACE,
  });
  expect(headers).toContain('own');
  expect(headers).not.toContain(TRACE);
});

it('names no deadline where there is none, and none that has passed below zero', () => {
  const timeoutOf = (timeoutMs: number | undefined) => {
    const headers = writeRequestHeaders([], { criticality: 'CRITICAL', attempt: 1, timeoutMs });
    const at = headers.indexOf('x-envoy-expected-rq-timeout-ms');
    return at < 0 ? undefined : headers[at + 1];
  };
  expect(timeoutOf(undefined)).toBeUndefined();
  expect(timeoutOf(Number.POSITIVE_INFINITY)).toBeUndefined();
  expect(timeoutOf(Number.NaN)).toBeUndefined();
  expect(timeoutOf(-5)).toBe('0');
  expect(timeoutOf(0.4)).toBe('0');
  expect(timeoutOf(1e300)).toBe('9999999999');
});

it('names no customer whose name cannot travel', () => {
  const headers = writeRequestHeaders([], { criticality: 'CRITICAL', attempt: 1, customer: 'a\nb' });
  expect(headers).not.toContain('x-plimsoll-customer');
});

it('arrives as it was sent, over any number of hops', () => {
  const facts = new RequestFacts();
  const customer = fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }), {
    nil: undefined,
  });
  const timeoutMs = fc.option(fc.nat(), { nil: undefined });
  const criticality = fc.constantFrom(...CRITICALITIES);
  fc.assert(
    fc.property(
      criticality,
      fc.integer({ min: 1, max: 100 }),
      timeoutMs,
      customer,
      fc.nat({ max: 3 }),
      (...drawn) => {
        const [criticality, attempt, timeoutMs, customer, hops] = drawn;
        let headers = writeRequestHeaders(['host', 'a'], {
          criticality,
          attempt,
          timeoutMs,
          customer,
          traceparent: TRACE,
        });
        for (let hop = 0; hop < hops; hop++) {
          readRequestHeaders(headers, facts);
          headers = writeRequestHeaders(['host', 'b'], { ...facts, criticality: facts.criticality! });
        }
        readRequestHeaders(headers, facts);
        expect(facts.traceparent).toBe(TRACE);
        expect(facts).toMatchObject({ criticality, attempt, timeoutMs, malformed: 0 });
        if (customer !== undefined && facts.customer !== undefined) expect(facts.customer).toBe(customer);
      },
    ),
  );
});
