import type { LoadReport } from '../core/index.js';
import { isLoadNumber } from './load-report.js';
import { ProtoReader } from './protobuf/proto-reader.js';
import { ProtoWriter } from './protobuf/proto-writer.js';

/**
 * The load report as gRPC has it: a message `xds.data.orca.v3.OrcaLoadReport`, in the trailer `endpoint-load-metrics-bin` of
 * a call and in the answers of `OpenRcaService` (gRFC A51). It says what the header of `load-report.ts` says: what ORCA has no
 * field for travels as a named metric.
 */
type Plain = 'cpuUtilization' | 'requestsPerSecond' | 'errorsPerSecond' | 'applicationUtilization';
type Named = 'inFlight' | 'latencyMs';

/** In the order of their numbers, as protobuf would write them. */
const BEFORE_NAMED: readonly (readonly [Plain, number])[] = [
  ['cpuUtilization', 1],
  ['requestsPerSecond', 6],
  ['errorsPerSecond', 7],
];
const NAMED: readonly (readonly [Named, string])[] = [
  ['inFlight', 'rif'],
  ['latencyMs', 'latency_ms'],
];
const AFTER_NAMED: readonly (readonly [Plain, number])[] = [['applicationUtilization', 9]];

const BY_NUMBER: ReadonlyMap<number, Plain> = new Map(
  [...BEFORE_NAMED, ...AFTER_NAMED].map(([name, field]) => [field, name]),
);
const BY_NAME: ReadonlyMap<string, Named> = new Map(NAMED.map(([name, key]) => [key, name]));

/** Whole requests per second: deprecated, yet all that older backends write. */
const WHOLE_RPS = 3;
const NAMED_METRICS = 8;
const KEY = 1;
const VALUE = 2;

/** As for the header: our own have about 80 bytes; others may name many metrics. */
const MOST_BYTES = 4_096;

/** Empty when there is nothing to say. Numbers that are none, or below zero, are left out; 0 is said. */
export function encodeLoadReportMessage(report: LoadReport): Buffer {
  const writer = new ProtoWriter();
  writePlain(writer, report, BEFORE_NAMED);
  for (const [name, key] of NAMED) {
    const value = report[name];
    if (isLoadNumber(value))
      writer.message(NAMED_METRICS, new ProtoWriter().string(KEY, key).double(VALUE, value));
  }
  writePlain(writer, report, AFTER_NAMED);
  return writer.finish();
}

function writePlain(
  writer: ProtoWriter,
  report: LoadReport,
  fields: readonly (readonly [Plain, number])[],
): void {
  for (const [name, field] of fields) {
    const value = report[name];
    if (isLoadNumber(value)) writer.double(field, value);
  }
}

type Draft = { -readonly [name in keyof LoadReport]: LoadReport[name] };

/**
 * A report from outside, of which nothing is believed: undefined unless it is one, says at least one thing that we know, and
 * all of it in finite numbers >= 0. Metrics that are not ours are passed over; what is said twice counts as said last, which
 * is protobuf's rule.
 */
export function decodeLoadReportMessage(bytes: Uint8Array): LoadReport | undefined {
  if (bytes.length > MOST_BYTES) return undefined;
  try {
    const report = readReport(new ProtoReader(bytes));
    const values = Object.values(report);
    return values.length > 0 && values.every(isLoadNumber) ? report : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readReport(reader: ProtoReader): Draft {
  const report: Draft = {};
  let wholeRps: number | undefined;
  while (reader.next()) {
    const plain = BY_NUMBER.get(reader.field);
    if (plain !== undefined) report[plain] = reader.double();
    else if (reader.field === WHOLE_RPS) wholeRps = reader.uint();
    else if (reader.field === NAMED_METRICS) readNamed(reader.message(), report);
  }
  if (wholeRps !== undefined) report.requestsPerSecond ??= wholeRps;
  return report;
}

/** An entry of a map is a message of key and value; either is left out when it is '' or 0. */
function readNamed(entry: ProtoReader, report: Draft): void {
  let key = '';
  let value = 0;
  while (entry.next()) {
    if (entry.field === KEY) key = entry.string();
    else if (entry.field === VALUE) value = entry.double();
  }
  const name = BY_NAME.get(key);
  if (name !== undefined) report[name] = value;
}

/** `xds.service.orca.v3.OrcaLoadReportRequest`: how often reports are wanted. 0: not said. A RangeError when it is none. */
export function decodeReportRequest(bytes: Uint8Array): number {
  if (bytes.length > MOST_BYTES) throw new RangeError(`a request for load reports has ${bytes.length} bytes`);
  const reader = new ProtoReader(bytes);
  let intervalMs = 0;
  while (reader.next()) if (reader.field === 1) intervalMs = readDuration(reader.message());
  return intervalMs;
}

export function encodeReportRequest(intervalMs: number): Buffer {
  const seconds = Math.floor(intervalMs / 1_000);
  const nanos = Math.round((intervalMs - seconds * 1_000) * 1e6);
  return new ProtoWriter().message(1, new ProtoWriter().int(1, seconds).int(2, nanos)).finish();
}

/** `google.protobuf.Duration`. */
function readDuration(reader: ProtoReader): number {
  let ms = 0;
  while (reader.next()) {
    if (reader.field === 1) ms += reader.int() * 1_000;
    else if (reader.field === 2) ms += reader.int() / 1e6;
  }
  return Math.max(0, ms);
}
