import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { encodeLoadReportMessage } from '../../wire/index.js';
import { isLameDuck, isMadeHere, outcomeOfStatus, pushbackMsOf, reportIn } from './status-outcome.js';

function metadataWith(fields: Readonly<Record<string, string | Buffer>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
  return metadata;
}

function outcome(code: status, fields: Readonly<Record<string, string>> = {}, details = '', isLocal = false) {
  return outcomeOfStatus({ code, details, metadata: metadataWith(fields) }, isLocal);
}

const OVERLOADED = { 'x-envoy-overloaded': 'true' };

describe('what a status is', () => {
  it('for each code that a server sends', () => {
    const words = Object.values(status)
      .filter((code): code is status => typeof code === 'number')
      .map((code) => [status[code], outcome(code)]);
    expect(Object.fromEntries(words)).toEqual({
      OK: 'answered',
      CANCELLED: 'aborted',
      UNKNOWN: 'failed',
      INVALID_ARGUMENT: 'answered',
      DEADLINE_EXCEEDED: 'broken',
      NOT_FOUND: 'answered',
      ALREADY_EXISTS: 'answered',
      PERMISSION_DENIED: 'answered',
      RESOURCE_EXHAUSTED: 'answered',
      FAILED_PRECONDITION: 'answered',
      ABORTED: 'answered',
      OUT_OF_RANGE: 'answered',
      UNIMPLEMENTED: 'answered',
      INTERNAL: 'failed',
      UNAVAILABLE: 'failed',
      DATA_LOSS: 'failed',
      UNAUTHENTICATED: 'answered',
    });
  });

  it('when the backend says that it was refused, whatever the code', () => {
    for (const code of [status.UNAVAILABLE, status.RESOURCE_EXHAUSTED, status.DEADLINE_EXCEEDED]) {
      expect(outcome(code, OVERLOADED)).toBe('task-overloaded');
      expect(outcome(code, { ...OVERLOADED, 'grpc-retry-pushback-ms': '20' })).toBe('task-overloaded');
      expect(outcome(code, { ...OVERLOADED, 'grpc-retry-pushback-ms': '-1' })).toBe('overloaded-no-retry');
      expect(outcome(code, { ...OVERLOADED, 'grpc-retry-pushback-ms': 'soon' })).toBe('overloaded-no-retry');
    }
    expect(outcome(status.OK, OVERLOADED)).toBe('answered');
    expect(outcome(status.RESOURCE_EXHAUSTED, { 'x-envoy-ratelimited': 'true' })).toBe('limited');
  });

  it('is no refusal once its answer has begun: then something was processed', () => {
    const begun = (fields: Readonly<Record<string, string>>) =>
      outcomeOfStatus({ code: status.UNAVAILABLE, details: '', metadata: metadataWith(fields) }, false, true);
    expect(begun(OVERLOADED)).toBe('failed');
    expect(begun({ ...OVERLOADED, 'grpc-retry-pushback-ms': '-1' })).toBe('failed');
  });

  it('when no server sent it', () => {
    const local = (details: string) => outcome(status.UNAVAILABLE, {}, details, true);
    expect(local('Connection dropped')).toBe('broken');
    expect(local('Stream refused by server')).toBe('connect-failed');
    expect(local('No connection established. Last error: x')).toBe('connect-failed');
    expect(local('round_robin: No connection established. Last error: x')).toBe('connect-failed');
    expect(outcome(status.INTERNAL, {}, 'Received RST_STREAM with code 2', true)).toBe('broken');
    // A handler that hands on what a server further down said has done something before.
    expect(outcome(status.UNAVAILABLE, {}, 'Stream refused by server')).toBe('failed');
  });

  it('is told by what a server always sends along', () => {
    const ended = (metadata: Metadata) => ({ code: 14, details: '', metadata });
    expect(isMadeHere(ended(new Metadata()), false)).toBe(true);
    expect(isMadeHere(ended(new Metadata()), true)).toBe(false);
    expect(isMadeHere(ended(metadataWith({ 'content-type': 'application/grpc' })), false)).toBe(false);
  });
});

it('reads pushback as gRFC A6 has it', () => {
  const pushback = (value: string) => pushbackMsOf(metadataWith({ 'grpc-retry-pushback-ms': value }));
  expect(pushbackMsOf(new Metadata())).toBe(0);
  expect([pushback('0'), pushback('150'), pushback('10000')]).toEqual([0, 150, 10_000]);
  expect([pushback('-1'), pushback('1.5'), pushback(''), pushback('9999999999')]).toEqual([-1, -1, -1, -1]);
  // A call without a deadline would be held for as long as a backend likes.
  expect([pushback('10001'), pushback('86400000'), pushback('999999999')]).toEqual([-1, -1, -1]);
});

it('reads load reports and lame ducks in trailers', () => {
  const report = { cpuUtilization: 0.5, inFlight: 3 };
  expect(reportIn(metadataWith({ 'endpoint-load-metrics-bin': encodeLoadReportMessage(report) }))).toEqual(
    report,
  );
  expect(
    reportIn(metadataWith({ 'endpoint-load-metrics': 'TEXT cpu_utilization=0.5,named_metrics.rif=3' })),
  ).toEqual(report);
  expect(reportIn(metadataWith({ 'endpoint-load-metrics-bin': Buffer.from([255, 255]) }))).toBeUndefined();
  expect(reportIn(new Metadata())).toBeUndefined();
  expect(isLameDuck(metadataWith({ 'x-envoy-immediate-health-check-fail': '1' }))).toBe(true);
  expect(isLameDuck(new Metadata())).toBe(false);
});
