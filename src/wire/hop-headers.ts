import type { Criticality } from '../core/index.js';
import { baggageWith } from './baggage.js';
import { encodeCustomer } from './customer-name.js';
import {
  ATTEMPT_HEADER,
  BAGGAGE_HEADER,
  CRITICALITY_HEADER,
  CUSTOMER_HEADER,
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
const REPLACED = [CRITICALITY_HEADER, ATTEMPT_HEADER, TIMEOUT_HEADER, CUSTOMER_HEADER];

/** Lengths of all names that are looked for, which few others have: most are looked at no further. */
const LENGTHS = [...REPLACED, BAGGAGE_HEADER, TRACE_PARENT_HEADER].map(({ length }) => length);
const IS_LOOKED_AT = Array.from({ length: 1 + Math.max(...LENGTHS) }, (_, length) =>
  LENGTHS.includes(length),
);

/**
 * The headers of one attempt: those given (a flat list of names and values), with what `hop` says in place of whatever
 * they said of it. Baggage keeps its other members. The time left is rounded down, so that it never grows on the way.
 */
export function writeRequestHeaders(given: readonly string[], hop: HopFacts): string[] {
  const headers: string[] = [];
  let baggage = '';
  let isTraced = false;
  for (let i = 0; i + 1 < given.length; i += 2) {
    const name = given[i]!;
    const value = given[i + 1]!;
    if (IS_LOOKED_AT[name.length] !== true) headers.push(name, value);
    else if (isNamed(name, BAGGAGE_HEADER)) baggage = baggage === '' ? value : `${baggage},${value}`;
    else if (!isReplaced(name)) {
      headers.push(name, value);
      isTraced ||= isNamed(name, TRACE_PARENT_HEADER);
    }
  }
  headers.push(CRITICALITY_HEADER, hop.criticality, ATTEMPT_HEADER, String(hop.attempt));
  headers.push(BAGGAGE_HEADER, baggageWith(baggage, hop.criticality));
  const { timeoutMs = Number.POSITIVE_INFINITY, customer, traceparent } = hop;
  if (timeoutMs < Number.POSITIVE_INFINITY) {
    headers.push(TIMEOUT_HEADER, String(Math.min(Math.max(0, Math.floor(timeoutMs)), MOST_TIMEOUT_MS)));
  }
  const name = customer === undefined ? undefined : encodeCustomer(customer);
  if (name !== undefined) headers.push(CUSTOMER_HEADER, name);
  if (traceparent !== undefined && !isTraced) headers.push(TRACE_PARENT_HEADER, traceparent);
  return headers;
}

function isReplaced(name: string): boolean {
  for (const each of REPLACED) if (isNamed(name, each)) return true;
  return false;
}
