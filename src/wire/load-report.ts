import type { LoadReport } from '../core/index.js';

/**
 * The load report as ORCA has it in a header, `endpoint-load-metrics` (gRFC A51; Envoy issue 6614): `TEXT` and pairs, or
 * `JSON` and an object. What ORCA has no field for travels as a named metric, under the names that Prequal uses.
 */
interface Field {
  readonly name: keyof LoadReport;
  readonly text: string;
  /** In JSON, as protobuf writes it, and as people do. */
  readonly json: readonly [string, string];
  readonly isNamed: boolean;
  /** What follows the point, for each part of one that is told apart: more digits are noise, and cost bytes in every answer. */
  readonly fractions: readonly string[];
}

/** `''`, `.1`, `.2` … Read from a list: turning a number that is not whole into text takes twice as long as all the rest. */
function fractions(digits: number): readonly string[] {
  return Array.from({ length: 10 ** digits }, (_, part) => {
    return part === 0 ? '' : `.${String(part).padStart(digits, '0').replace(/0+$/, '')}`;
  });
}

const WHOLE = fractions(0);
const TENTHS = fractions(1);
const THOUSANDTHS = fractions(3);

function field(
  name: keyof LoadReport,
  json: readonly [string, string],
  fractions: readonly string[],
  isNamed = false,
): Field {
  return { name, text: isNamed ? `named_metrics.${json[0]}` : json[0], json, isNamed, fractions };
}

const FIELDS: readonly Field[] = [
  field('cpuUtilization', ['cpu_utilization', 'cpuUtilization'], THOUSANDTHS),
  field('applicationUtilization', ['application_utilization', 'applicationUtilization'], THOUSANDTHS),
  field('requestsPerSecond', ['rps_fractional', 'rpsFractional'], TENTHS),
  field('errorsPerSecond', ['eps', 'eps'], TENTHS),
  field('inFlight', ['rif', 'rif'], WHOLE, true),
  field('latencyMs', ['latency_ms', 'latency_ms'], TENTHS, true),
];

const BY_TEXT: ReadonlyMap<string, Field> = new Map(FIELDS.map((each) => [each.text, each]));

/** No backend does more of anything; and no number below it is written with an exponent. */
const MOST = 1e9;

/** Our own reports have 150 characters; others may name many metrics. */
const MOST_CHARACTERS = 4_096;
const MOST_DIGITS = 32;

/** A number that may be told to others, or believed. */
export function isLoadNumber(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;
}

/** The header's value; empty when there is nothing to say. Numbers that are none, or below zero, are left out. */
export function encodeLoadReport(report: LoadReport): string {
  let text = '';
  for (const { name, text: key, fractions } of FIELDS) {
    const value = report[name];
    if (!isLoadNumber(value)) continue;
    const scale = fractions.length;
    const parts = Math.round(Math.min(value, MOST) * scale);
    const whole = Math.floor(parts / scale);
    text += `${text === '' ? 'TEXT ' : ','}${key}=${whole}${fractions[parts - whole * scale]}`;
  }
  return text;
}

type Draft = { -readonly [name in keyof LoadReport]: LoadReport[name] };

/**
 * A report from outside, of which nothing is believed: undefined unless it is one, says at least one thing that we know,
 * nothing twice, and all of it in finite numbers >= 0. Metrics that are not ours are passed over.
 */
export function decodeLoadReport(text: string): LoadReport | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  if (text.startsWith('TEXT ')) return decodeText(text);
  return text.startsWith('JSON ') ? decodeJson(text.slice(5)) : undefined;
}

function decodeText(text: string): LoadReport | undefined {
  const report: Draft = {};
  let isEmpty = true;
  for (let from = 5; from < text.length; ) {
    const comma = text.indexOf(',', from);
    const to = comma < 0 ? text.length : comma;
    const pair = text.slice(from, to);
    from = to + 1;
    const sign = separatorOf(pair);
    const known = sign < 0 ? undefined : BY_TEXT.get(pair.slice(0, sign).trim());
    if (known === undefined) continue;
    const value = numberOf(pair.slice(sign + 1).trim());
    if (value === undefined || report[known.name] !== undefined) return undefined;
    report[known.name] = value;
    isEmpty = false;
  }
  return isEmpty ? undefined : report;
}

/** The design has `=`; Envoy reads `:` (orca_parser.cc), so there are backends that write it. */
function separatorOf(pair: string): number {
  const equals = pair.indexOf('=');
  return equals < 0 ? pair.indexOf(':') : equals;
}

function numberOf(text: string): number | undefined {
  if (text.length > MOST_DIGITS) return undefined;
  // Digits, a point, an exponent: Number() alone takes '', '0x10' and 'Infinity'.
  for (let i = 0; i < text.length; i++) if (!isNumeric(text.charCodeAt(i))) return undefined;
  const value = text === '' ? Number.NaN : Number(text);
  return isLoadNumber(value) ? value : undefined;
}

function isNumeric(code: number): boolean {
  if (code >= 0x30 && code <= 0x39) return true;
  // . e E + -
  return code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d;
}

function decodeJson(text: string): LoadReport | undefined {
  const parsed = parseObject(text);
  const named = parsed?.['named_metrics'] ?? parsed?.['namedMetrics'];
  const report: Draft = {};
  let isEmpty = true;
  for (const { name, json, isNamed } of FIELDS) {
    const from = isNamed ? named : parsed;
    const value = member(from, json[0]) ?? member(from, json[1]);
    if (value === undefined) continue;
    if (!isLoadNumber(value)) return undefined;
    report[name] = value;
    isEmpty = false;
  }
  return isEmpty ? undefined : report;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null && Object.hasOwn(of, name)
    ? (of as Record<string, unknown>)[name]
    : undefined;
}
