import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evenly } from '../core/evenly.contract.js';
import type { LoadReport } from '../core/index.js';
import { decodeLoadReport, encodeLoadReport, isLoadNumber } from './load-report.js';

/** Any 16 bits, halves of a pair included. */
const ANY_UNIT = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));

const REPORT: LoadReport = {
  cpuUtilization: 0.412,
  applicationUtilization: 0.5,
  requestsPerSecond: 1234.5,
  errorsPerSecond: 0.2,
  inFlight: 17,
  latencyMs: 12.3,
};

const TEXT =
  'TEXT cpu_utilization=0.412,application_utilization=0.5,rps_fractional=1234.5,eps=0.2,' +
  'named_metrics.rif=17,named_metrics.latency_ms=12.3';

it('writes what ORCA has as ORCA has it', () => {
  expect(encodeLoadReport(REPORT)).toBe(TEXT);
  expect(decodeLoadReport(TEXT)).toEqual(REPORT);
});

it('writes few digits, no exponents, and no numbers that are none', () => {
  expect(encodeLoadReport({ cpuUtilization: 1 / 3, inFlight: 2.6, latencyMs: 1e-9 })).toBe(
    'TEXT cpu_utilization=0.333,named_metrics.rif=3,named_metrics.latency_ms=0',
  );
  expect(encodeLoadReport({ requestsPerSecond: 1e300 })).toBe('TEXT rps_fractional=1000000000');
  expect(
    encodeLoadReport({ cpuUtilization: Number.NaN, latencyMs: -1, inFlight: Number.POSITIVE_INFINITY }),
  ).toBe('');
  expect(encodeLoadReport({})).toBe('');
});

it('reads what others write', () => {
  expect(
    decodeLoadReport('TEXT cpu_utilization=0.3, mem_utilization=0.8, eps=1, named_metrics.x=0.4'),
  ).toEqual({
    cpuUtilization: 0.3,
    errorsPerSecond: 1,
  });
  expect(decodeLoadReport('TEXT cpu_utilization:0.3,eps: 1.5e1')).toEqual({
    cpuUtilization: 0.3,
    errorsPerSecond: 15,
  });
  expect(decodeLoadReport('TEXT nonsense,cpu_utilization=1,,named_metrics.a:b=c')).toEqual({
    cpuUtilization: 1,
  });
});

it('reads JSON, as protobuf writes it and as people do', () => {
  expect(
    decodeLoadReport(
      'JSON {"cpu_utilization":0.3,"rps_fractional":10,"named_metrics":{"rif":4,"latency_ms":2,"x":"y"}}',
    ),
  ).toEqual({ cpuUtilization: 0.3, requestsPerSecond: 10, inFlight: 4, latencyMs: 2 });
  expect(decodeLoadReport('JSON {"cpuUtilization":0.3,"rpsFractional":10,"namedMetrics":{"rif":4}}')).toEqual(
    {
      cpuUtilization: 0.3,
      requestsPerSecond: 10,
      inFlight: 4,
    },
  );
});

it.each([
  ['nothing', ''],
  ['another format', 'BIN CgA='],
  ['no format', 'cpu_utilization=0.3'],
  ['an empty report', 'TEXT '],
  ['nothing of ours', 'TEXT mem_utilization=0.3'],
  ['no number', 'TEXT cpu_utilization=NaN'],
  ['no digits', 'TEXT cpu_utilization='],
  ['an endless number', 'TEXT cpu_utilization=Infinity'],
  ['a number that overflows', 'TEXT cpu_utilization=1e999'],
  ['a number below zero', 'TEXT cpu_utilization=0.3,eps=-1'],
  ['a number of another base', 'TEXT cpu_utilization=0x10'],
  ['digits in the wrong order', 'TEXT cpu_utilization=1.2.3'],
  ['too many digits', `TEXT cpu_utilization=${'1'.repeat(33)}`],
  ['a thing said twice', 'TEXT cpu_utilization=0.3,cpu_utilization=0.3'],
  ['too much of it', `TEXT cpu_utilization=0.3${','.repeat(4_096)}`],
  ['no JSON', 'JSON {'],
  ['nothing in JSON', 'JSON null'],
  ['a number in JSON', 'JSON 7'],
  ['an empty object', 'JSON {}'],
  ['a text for a number', 'JSON {"cpu_utilization":"0.3"}'],
  ['a number below zero in JSON', 'JSON {"cpu_utilization":-1}'],
  ['a number that overflows in JSON', 'JSON {"cpu_utilization":1e999}'],
  ['metrics that are a list', 'JSON {"named_metrics":[1]}'],
  ['metrics that are a text', 'JSON {"named_metrics":"rif"}'],
])('does not believe %s', (_, text) => {
  expect(decodeLoadReport(text)).toBeUndefined();
});

it('takes no number for one that is none', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1, '1', undefined, null]) {
    expect(isLoadNumber(value)).toBe(false);
  }
  expect(isLoadNumber(0)).toBe(true);
});

it('comes back as it went, to as many digits as are sent', () => {
  const number = fc.option(evenly(0, 1e6), { nil: undefined });
  const keys = Object.keys(REPORT) as (keyof LoadReport)[];
  fc.assert(
    fc.property(fc.array(number, { minLength: 6, maxLength: 6 }), (values) => {
      const report = Object.fromEntries(
        keys.flatMap((key, i) => (values[i] === undefined ? [] : [[key, values[i]]])),
      );
      const decoded = decodeLoadReport(encodeLoadReport(report)) ?? {};
      expect(Object.keys(decoded)).toEqual(Object.keys(report));
      for (const key of keys)
        expect(Math.abs((decoded[key] ?? 0) - (report[key] ?? 0))).toBeLessThanOrEqual(0.5);
    }),
  );
});

it('never throws, and believes finite numbers only', () => {
  const piece = fc.constantFrom(
    'cpu_utilization',
    'named_metrics.rif',
    'eps',
    '=',
    ',',
    ':',
    '-',
    '1',
    'e',
    '9',
    '.',
    '{',
    '"',
    '}',
  );
  const body = fc.oneof(
    fc.array(piece).map((pieces) => pieces.join('')),
    fc.string({ unit: ANY_UNIT, size: 'small' }),
    fc.json({ depthSize: 'small', maxDepth: 2 }),
  );
  fc.assert(
    fc.property(fc.constantFrom('TEXT ', 'JSON ', ''), body, (format, text) => {
      for (const value of Object.values(decodeLoadReport(format + text) ?? {}))
        expect(isLoadNumber(value)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
