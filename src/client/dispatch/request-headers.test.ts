import fc from 'fast-check';
import { Headers } from 'undici';
import { describe, expect, it } from 'vitest';
import { evenlyBelow1 } from '../../core/evenly.contract.js';
import { traceIdOf } from '../../wire/index.js';
import type { Hop } from './hop.js';
import { attemptHeaders, hasHeader, toFlatHeaders } from './request-headers.js';

describe('toFlatHeaders', () => {
  it.each([
    ['nothing', undefined, []],
    ['null', null, []],
    ['an empty list', [], []],
    ['a flat list', ['A', '1', 'b', '2'], ['A', '1', 'b', '2']],
    ['a list of pairs', [['a', '1'] as const, ['b', '2'] as const], ['a', '1', 'b', '2']],
    ['an object', { A: '1', b: 2 }, ['A', '1', 'b', '2']],
    ['an object of nobody', Object.assign(Object.create(null), { a: '1' }), ['a', '1']],
    ['undici’s Headers', new Headers({ A: '1' }), ['a', '1']],
    ['Node’s Headers', new globalThis.Headers({ A: '1' }), ['a', '1']],
    ['a Map', new Map([['a', '1']]), ['a', '1']],
  ])('takes %s', (_, given, flat) => {
    expect(toFlatHeaders(given)).toEqual(flat);
  });

  it('has each value of a list as a header of its own, in every form', () => {
    const flat = ['a', '1', 'a', '2'];
    expect(toFlatHeaders({ a: ['1', 2] })).toEqual(flat);
    expect(toFlatHeaders(['a', ['1', '2']])).toEqual(flat);
    expect(toFlatHeaders([['a', ['1', '2']]])).toEqual(flat);
    expect(toFlatHeaders(new Map([['a', ['1', '2']]]))).toEqual(flat);
  });

  it('leaves out what is undefined, and sends null as an empty value, as undici does', () => {
    expect(toFlatHeaders({ a: undefined, b: null, c: '', d: 0, e: false })).toEqual([
      ...['b', '', 'c', '', 'd', '0', 'e', 'false'],
    ]);
  });

  it('takes an object and the same as a flat list for the same', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), (headers) => {
        expect(toFlatHeaders(headers)).toEqual(toFlatHeaders(Object.entries(headers).flat()));
      }),
    );
  });
});

describe('hasHeader', () => {
  it('knows names, whatever their case, and does not take values for names', () => {
    expect(hasHeader(['Host', 'a'], 'host')).toBe(true);
    expect(hasHeader(['x', 'host'], 'host')).toBe(false);
    expect(hasHeader(['hosts', 'a', 'hos', 'a'], 'host')).toBe(false);
    expect(hasHeader([], 'host')).toBe(false);
  });
});

const HOP: Hop = {
  criticality: 'SHEDDABLE',
  customer: 'mail',
  deadlineMs: 1_500.9,
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
};

/** As an object; a name that comes twice is a defect. */
function write(given: string[], hop = HOP, host?: string, attempt = 1, random = () => 0.5) {
  const flat = attemptHeaders(given, hop, attempt, host, 1_000, random);
  const record: Record<string, string> = {};
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i]!.toLowerCase();
    expect(record).not.toHaveProperty(name);
    record[name] = flat[i + 1]!;
  }
  return record;
}

describe('attemptHeaders', () => {
  it('tells the next hop what it has to know, the time left rounded down', () => {
    expect(write(['accept', '*/*'], HOP, undefined, 2)).toEqual({
      accept: '*/*',
      'x-request-criticality': 'SHEDDABLE',
      'x-envoy-attempt-count': '2',
      'x-envoy-expected-rq-timeout-ms': '500',
      'x-plimsoll-customer': 'mail',
      baggage: 'criticality=SHEDDABLE',
      traceparent: expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/),
    });
  });

  it('says nothing of what is not known', () => {
    const hop = { ...HOP, customer: '', deadlineMs: Number.POSITIVE_INFINITY, traceId: undefined };
    expect(Object.keys(write([], hop)).sort()).toEqual([
      'baggage',
      'x-envoy-attempt-count',
      'x-request-criticality',
    ]);
  });

  it('replaces what a caller has copied, and keeps other members of baggage', () => {
    const copied = [
      ...['X-Request-Criticality', 'CRITICAL_PLUS', 'X-Envoy-Attempt-Count', '9'],
      ...['X-Envoy-Expected-Rq-Timeout-Ms', '99999', 'X-Plimsoll-Customer', 'other'],
      ...['Baggage', 'a=1,criticality=CRITICAL_PLUS,b=2'],
    ];
    expect(write(copied)).toMatchObject({
      'x-request-criticality': 'SHEDDABLE',
      'x-envoy-attempt-count': '1',
      'x-envoy-expected-rq-timeout-ms': '500',
      'x-plimsoll-customer': 'mail',
      baggage: 'a=1,b=2,criticality=SHEDDABLE',
    });
  });

  it('says that no time is left when the deadline has passed', () => {
    expect(write([], { ...HOP, deadlineMs: 900 })['x-envoy-expected-rq-timeout-ms']).toBe('0');
  });

  it('leaves the trace to a tracer that has set one', () => {
    expect(write(['Traceparent', 'theirs'])['traceparent']).toBe('theirs');
  });

  it('makes a valid parent of whatever chance gives', () => {
    const chance = evenlyBelow1();
    fc.assert(
      fc.property(chance, (value) => {
        const { traceparent } = write([], HOP, undefined, 1, () => value) as { traceparent: string };
        expect(traceIdOf(traceparent)).toBe(HOP.traceId);
      }),
    );
  });

  it('calls a backend by its name, unless the caller has another for it', () => {
    expect(write([], HOP, 'orders.test')['host']).toBe('orders.test');
    expect(write(['Host', 'mine'], HOP, 'orders.test')['host']).toBe('mine');
    expect(write([])).not.toHaveProperty('host');
  });

  it('leaves what it was given as it is: the next attempt needs it', () => {
    const given = ['baggage', 'a=1', 'x', 'y'];
    write(given);
    expect(given).toEqual(['baggage', 'a=1', 'x', 'y']);
  });
});
