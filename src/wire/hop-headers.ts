import type { Criticality } from '../core/index.js';
import { baggageWith } from './baggage.js';
import { encodeCustomer } from './customer-name.js';
import {
  ATTEMPT_HEADER,
  BAGGAGE_HEADER,
  CRITICALITY_HEADER,
  CUSTOMER_HEADER,
  PREVIOUS_ATTEMPTS_HEADER,
  TIMEOUT_HEADER,
  TRACE_PARENT_HEADER,
} from './names.js';
import { isNamed } from './text.js';

/** What a request tells the next hop. */
export interface HopFacts {
  readonly criticality: Criticality;
  /** 1 for a first attempt. */
  readonly attempt: number;
  /** What is left until the deadline; undefined or Infinity when there is none. */
  readonly timeoutMs?: number | undefined;
  readonly customer?: string | undefined;
  /** Of the request that this one serves: passed on unless a tracer has set one of its own. */
  readonly traceparent?: string | undefined;
}

/** As many milliseconds as the reader takes. */
const MOST_TIMEOUT_MS = 9_999_999_999;

/** Each is said once, by us: what a caller copied from the request that it serves is an hour old or a lie. */
const REPLACED = [
  CRITICALITY_HEADER,
  ATTEMPT_HEADER,
  // gRPC's count of attempts is ours, said by another name.
  PREVIOUS_ATTEMPTS_HEADER,
  TIMEOUT_HEADER,
  CUSTOMER_HEADER,
];

/** Lengths of all names that are looked for, which few others have: most are looked at no further. */
const LENGTHS = [...REPLACED, BAGGAGE_HEADER].map(({ length }) => length);
const IS_LOOKED_AT = Array.from({ length: 1 + Math.max(...LENGTHS) }, (_, length) =>
  LENGTHS.includes(length),
);

/**
 * The headers of one attempt: those given (a flat list of names and values), with what `hop` says in place of whatever
 * they said of it. Baggage keeps its other members. The time left is rounded down, so that it never grows on the way.
 */
export function writeRequestHeaders(given: readonly string[], hop: HopFacts): string[] {
  let kept = 0;
  let baggage = '';
  let isTraced = false;
  for (let i = 0; i + 1 < given.length; i += 2) {
    const name = given[i]!;
    if (isKept(name)) kept += 2;
    else if (isNamed(name, BAGGAGE_HEADER))
      baggage = baggage === '' ? given[i + 1]! : `${baggage},${given[i + 1]}`;
    isTraced ||= name.length === TRACE_PARENT_HEADER.length && isNamed(name, TRACE_PARENT_HEADER);
  }
  const { timeoutMs = Number.POSITIVE_INFINITY } = hop;
  const time =
    timeoutMs < Number.POSITIVE_INFINITY
      ? String(Math.min(Math.max(0, Math.floor(timeoutMs)), MOST_TIMEOUT_MS))
      : undefined;
  const customer = hop.customer === undefined ? undefined : encodeCustomer(hop.customer);
  const traceparent = isTraced ? undefined : hop.traceparent;
  // As long as it has to be: one that grows is made, and thrown away, two or three times.
  const further = countOf(time) + countOf(customer) + countOf(traceparent);
  const headers = new Array<string>(kept + 6 + 2 * further);
  let at = 0;
  for (let i = 0; i + 1 < given.length; i += 2)
    if (isKept(given[i]!)) at = put(headers, at, given[i]!, given[i + 1]!);
  at = put(headers, at, CRITICALITY_HEADER, hop.criticality);
  at = put(headers, at, ATTEMPT_HEADER, String(hop.attempt));
  at = put(headers, at, BAGGAGE_HEADER, baggageWith(baggage, hop.criticality));
  if (time !== undefined) at = put(headers, at, TIMEOUT_HEADER, time);
  if (customer !== undefined) at = put(headers, at, CUSTOMER_HEADER, customer);
  if (traceparent !== undefined) put(headers, at, TRACE_PARENT_HEADER, traceparent);
  return headers;
}

function countOf(value: string | undefined): number {
  return value === undefined ? 0 : 1;
}

function put(headers: string[], at: number, name: string, value: string): number {
  headers[at] = name;
  headers[at + 1] = value;
  return at + 2;
}

function isKept(name: string): boolean {
  return IS_LOOKED_AT[name.length] !== true || !(isNamed(name, BAGGAGE_HEADER) || isReplaced(name));
}

function isReplaced(name: string): boolean {
  for (const each of REPLACED) if (isNamed(name, each)) return true;
  return false;
}
