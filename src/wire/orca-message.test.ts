import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import type { LoadReport } from '../core/index.js';
import { isLoadNumber } from './load-report.js';
import {
  decodeLoadReportMessage,
  decodeReportRequest,
  encodeLoadReportMessage,
  encodeReportRequest,
} from './orca-message.js';
import { ProtoWriter } from './protobuf/proto-writer.js';

/** xds/data/orca/v3/orca_load_report.proto. */
const { OrcaLoadReport } = protobuf.parse(
  `
  syntax = "proto3";
  message OrcaLoadReport {
    double cpu_utilization = 1;
    double mem_utilization = 2;
    uint64 rps = 3;
    map<string, double> request_cost = 4;
    map<string, double> utilization = 5;
    double rps_fractional = 6;
    double eps = 7;
    map<string, double> named_metrics = 8;
    double application_utilization = 9;
  }`,
  { keepCase: true },
).root as unknown as Record<'OrcaLoadReport', protobuf.Type>;

function encoded(message: object): Uint8Array {
  return OrcaLoadReport.encode(OrcaLoadReport.fromObject(message)).finish();
}

const REPORT: LoadReport = {
  cpuUtilization: 0.412,
  applicationUtilization: 0.5,
  requestsPerSecond: 1234.5,
  errorsPerSecond: 0.2,
  inFlight: 17,
  latencyMs: 12.3,
};

const MESSAGE = {
  cpu_utilization: 0.412,
  rps_fractional: 1234.5,
  eps: 0.2,
  named_metrics: { rif: 17, latency_ms: 12.3 },
  application_utilization: 0.5,
};

describe('encodeLoadReportMessage', () => {
  it('writes what others read as an OrcaLoadReport', () => {
    const bytes = encodeLoadReportMessage(REPORT);
    expect(OrcaLoadReport.toObject(OrcaLoadReport.decode(bytes))).toEqual(MESSAGE);
    expect(decodeLoadReportMessage(bytes)).toEqual(REPORT);
  });

  it('says 0, and leaves out numbers that are none', () => {
    expect(decodeLoadReportMessage(encodeLoadReportMessage({ inFlight: 0, cpuUtilization: 0 }))).toEqual({
      inFlight: 0,
      cpuUtilization: 0,
    });
    const none = {
      cpuUtilization: Number.NaN,
      latencyMs: -1,
      inFlight: Number.POSITIVE_INFINITY,
    };
    expect(encodeLoadReportMessage(none)).toHaveLength(0);
    expect(encodeLoadReportMessage({})).toHaveLength(0);
  });
});

describe('decodeLoadReportMessage', () => {
  it('reads what others write, and passes over what is not ours', () => {
    expect(
      decodeLoadReportMessage(
        encoded({
          ...MESSAGE,
          mem_utilization: 0.8,
          request_cost: { db: 3 },
          utilization: { gpu: 0.4 },
          named_metrics: { rif: 17, latency_ms: 12.3, queue: -1 },
        }),
      ),
    ).toEqual(REPORT);
  });

  it('takes whole requests per second where there are no fractional ones', () => {
    expect(decodeLoadReportMessage(encoded({ rps: 7 }))).toEqual({ requestsPerSecond: 7 });
    expect(decodeLoadReportMessage(encoded({ rps: 7, rps_fractional: 7.5 }))).toEqual({
      requestsPerSecond: 7.5,
    });
  });

  it('reads an entry whose value was left out as 0, and one without a name as nothing', () => {
    const unsaid = new ProtoWriter().message(8, new ProtoWriter().string(1, 'rif'));
    expect(decodeLoadReportMessage(unsaid.finish())).toEqual({ inFlight: 0 });
    const nameless = new ProtoWriter().message(8, new ProtoWriter().double(2, 1));
    expect(decodeLoadReportMessage(nameless.finish())).toBeUndefined();
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['nothing of ours', encoded({ mem_utilization: 0.3, named_metrics: { x: 1 } })],
    ['no number', encoded({ cpu_utilization: Number.NaN })],
    ['an endless number', encoded({ cpu_utilization: 0.3, eps: Number.POSITIVE_INFINITY })],
    ['a number below zero', encoded({ cpu_utilization: 0.3, named_metrics: { rif: -1 } })],
    ['another layout', new ProtoWriter().uint(1, 1).finish()],
    ['a message that is cut off', encoded(MESSAGE).subarray(0, -1)],
    [
      'too much of it',
      Buffer.concat([encoded(MESSAGE), new ProtoWriter().string(20, 'x'.repeat(4_096)).finish()]),
    ],
  ])('does not believe %s', (_, bytes) => {
    expect(decodeLoadReportMessage(bytes)).toBeUndefined();
  });

  it('gives back exactly what was written', () => {
    const number = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(
        fc.record(
          {
            cpuUtilization: number,
            applicationUtilization: number,
            requestsPerSecond: number,
            errorsPerSecond: number,
            inFlight: number,
            latencyMs: number,
          },
          { requiredKeys: ['inFlight'] },
        ),
        (report) => {
          expect(decodeLoadReportMessage(encodeLoadReportMessage(report))).toEqual(report);
        },
      ),
    );
  });

  it('never throws, and believes finite numbers only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        for (const value of Object.values(decodeLoadReportMessage(bytes) ?? {}))
          expect(isLoadNumber(value)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a request for load reports', () => {
  const { Request } = protobuf.parse(`
    syntax = "proto3";
    message Duration { int64 seconds = 1; int32 nanos = 2; }
    message Request { Duration report_interval = 1; repeated string request_cost_names = 2; }
  `).root as unknown as Record<'Request', protobuf.Type>;

  it('says how often', () => {
    const asked = { reportInterval: { seconds: 2, nanos: 500_000_000 }, requestCostNames: ['a'] };
    expect(decodeReportRequest(Request.encode(Request.fromObject(asked)).finish())).toBe(2_500);
    expect(decodeReportRequest(encodeReportRequest(1_250))).toBe(1_250);
    const written = Request.toObject(Request.decode(encodeReportRequest(1_250)), { longs: Number });
    expect(written).toEqual({ reportInterval: { seconds: 1, nanos: 250_000_000 } });
  });

  it('that says nothing, or less than nothing, asks for 0', () => {
    expect(decodeReportRequest(Buffer.alloc(0))).toBe(0);
    expect(decodeReportRequest(encodeReportRequest(-5_000))).toBe(0);
  });

  it('that is none is refused', () => {
    expect(() => decodeReportRequest(Buffer.from([0x0a, 5]))).toThrow(RangeError);
    expect(() => decodeReportRequest(Buffer.alloc(5_000))).toThrow(RangeError);
  });
});
