import fc from 'fast-check';
import { expect, it } from 'vitest';
import { outcomeOfAnswer, retryAfterMs } from './answer-outcome.js';

it('goes by the status', () => {
  for (const status of [200, 204, 301, 404, 499]) expect(outcomeOfAnswer(status, {})).toBe('answered');
  for (const status of [500, 502, 503, 504, 599, 999]) expect(outcomeOfAnswer(status, {})).toBe('failed');
  expect(outcomeOfAnswer(429, {})).toBe('limited');
  expect(outcomeOfAnswer(Number.NaN, {})).toBe('failed');
});

it('tells a refusal from a handler’s own 503', () => {
  const overloaded = { 'x-envoy-overloaded': 'true' };
  expect(outcomeOfAnswer(503, overloaded)).toBe('task-overloaded');
  expect(outcomeOfAnswer(503, { 'x-envoy-overloaded': ['true', 'x'] })).toBe('task-overloaded');
  expect(outcomeOfAnswer(503, { 'x-envoy-overloaded': 'false' })).toBe('failed');
  expect(outcomeOfAnswer(503, { 'grpc-retry-pushback-ms': '-1', 'retry-after': '1' })).toBe('failed');
  expect(outcomeOfAnswer(200, overloaded)).toBe('answered');
  expect(outcomeOfAnswer(429, overloaded)).toBe('limited');
});

it('does not retry where it is told not to (gRFC A6)', () => {
  const outcome = (pushback: string) =>
    outcomeOfAnswer(503, { 'x-envoy-overloaded': 'true', 'grpc-retry-pushback-ms': pushback });
  for (const pushback of ['-1', '', 'x', '1.5', '9999999999'])
    expect(outcome(pushback)).toBe('overloaded-no-retry');
  for (const pushback of ['0', '20']) expect(outcome(pushback)).toBe('task-overloaded');
});

it('reads how long to wait, up to a day', () => {
  const wait = (value: string) => retryAfterMs({ 'retry-after': value });
  expect(wait('0')).toBe(0);
  expect(wait('3')).toBe(3_000);
  expect(wait('999999999')).toBe(86_400_000);
  for (const value of ['', '-1', '1.5', 'Fri, 31 Dec 1999 23:59:59 GMT', '9999999999'])
    expect(wait(value)).toBeUndefined();
  expect(retryAfterMs({})).toBeUndefined();
});

it('never throws', () => {
  const value = fc.oneof(
    fc.constant('true'),
    fc.string({ size: 'small' }),
    fc.array(fc.string(), { size: 'small' }),
  );
  const headers = fc.record(
    { 'x-envoy-overloaded': value, 'grpc-retry-pushback-ms': value, 'retry-after': value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.integer(), headers, (status, given) => {
      outcomeOfAnswer(status, given);
      expect(retryAfterMs(given) ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});
