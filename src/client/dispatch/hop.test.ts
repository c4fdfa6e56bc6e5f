import { describe, expect, it } from 'vitest';
import { type RequestContext, runInRequest, withCriticality } from '../../context/index.js';
import { type CallOptions, type HopDefaults, hopOf, isIdempotent } from './hop.js';

const NO_DEFAULTS: HopDefaults = { criticality: undefined, customer: undefined, timeoutMs: undefined };
const DEFAULTS: HopDefaults = { criticality: 'SHEDDABLE', customer: 'client', timeoutMs: 1_000 };

/** A request being served. */
const SERVED: RequestContext = {
  criticality: 'CRITICAL_PLUS',
  customer: 'served',
  deadline: 10_500,
  remainingMs: () => 500,
  attempt: 2,
  degraded: false,
  charge: () => {},
  cost: 0,
  traceId: 'trace',
};

/** As seen while `served` is being served, at 10 s. */
function within(served: RequestContext, call: CallOptions, defaults: HopDefaults = DEFAULTS) {
  return runInRequest(served, () => hopOf(call, defaults, 10_000), 0, 0);
}

describe('hopOf', () => {
  it('is critical, nobody’s and without end when nobody says anything', () => {
    expect(hopOf({}, NO_DEFAULTS, 10_000)).toEqual({
      criticality: 'CRITICAL',
      customer: '',
      deadlineMs: Number.POSITIVE_INFINITY,
      traceId: undefined,
    });
  });

  it('takes what the client says when nobody else does', () => {
    expect(hopOf({}, DEFAULTS, 10_000)).toEqual({
      criticality: 'SHEDDABLE',
      customer: 'client',
      deadlineMs: 11_000,
      traceId: undefined,
    });
  });

  it('takes what the request being served says rather than the client', () => {
    expect(within(SERVED, {})).toEqual({
      criticality: 'CRITICAL_PLUS',
      customer: 'served',
      deadlineMs: 10_500,
      traceId: 'trace',
    });
  });

  it('takes what the call says rather than any', () => {
    const call = { criticality: 'SHEDDABLE_PLUS', customer: 'call', timeoutMs: 100 } as const;
    expect(within(SERVED, call)).toEqual({
      criticality: 'SHEDDABLE_PLUS',
      customer: 'call',
      deadlineMs: 10_100,
      traceId: 'trace',
    });
  });

  it('asks the next one where a request has no customer', () => {
    const anonymous = { ...SERVED, customer: '' };
    expect(within(anonymous, {}).customer).toBe('client');
    expect(within(anonymous, {}, NO_DEFAULTS).customer).toBe('');
  });

  it('lets a call be nobody’s', () => {
    expect(within(SERVED, { customer: '' }).customer).toBe('');
  });

  it('never has more time than the request being served', () => {
    expect(within(SERVED, { timeoutMs: 5_000 }).deadlineMs).toBe(10_500);
    expect(within({ ...SERVED, deadline: 9_000 }, {}).deadlineMs).toBe(9_000);
    const endless = { ...SERVED, deadline: Number.POSITIVE_INFINITY };
    expect(within(endless, {}).deadlineMs).toBe(11_000);
    expect(within(endless, { timeoutMs: 5_000 }).deadlineMs).toBe(15_000);
  });

  it('takes the criticality that code has set, outside of a request too', () => {
    const set = withCriticality('SHEDDABLE_PLUS', () => hopOf({}, DEFAULTS, 10_000));
    expect(set).toMatchObject({ criticality: 'SHEDDABLE_PLUS', customer: 'client', deadlineMs: 11_000 });
  });

  it.each([
    [{ criticality: 'URGENT' }, 'criticality must be one of', 'got "URGENT"'],
    [{ timeoutMs: 0 }, 'timeoutMs must be', 'got 0'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be', 'got NaN'],
  ])('refuses %j', (call, field, value) => {
    expect(() => hopOf(call as CallOptions, DEFAULTS, 0)).toThrow(RangeError);
    expect(() => hopOf(call as CallOptions, DEFAULTS, 0)).toThrow(field);
    expect(() => hopOf(call as CallOptions, DEFAULTS, 0)).toThrow(value);
  });
});

describe('isIdempotent', () => {
  it('goes by the method unless it is said', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'])
      expect(isIdempotent(method, undefined)).toBe(true);
    for (const method of ['POST', 'PATCH', 'CONNECT', 'get'])
      expect(isIdempotent(method, undefined)).toBe(false);
    expect(isIdempotent('POST', true)).toBe(true);
    expect(isIdempotent('GET', false)).toBe(false);
  });
});
