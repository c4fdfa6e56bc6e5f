import { errors } from 'undici';
import type { Random } from '../../core/index.js';
import { remainingMs } from '../../core/index.js';
import { type HopFacts, writeRequestHeaders } from '../../wire/index.js';
import type { Hop } from './hop.js';

/** Headers in any form that undici takes. */
export type GivenHeaders = unknown;

/** As a flat list of names and values, in which one that was given as a list stands more than once. */
export function toFlatHeaders(given: GivenHeaders): string[] {
  const flat: string[] = [];
  if (given === null || given === undefined) return flat;
  if (typeof given !== 'object')
    throw new errors.InvalidArgumentError('headers must be an object or an array');
  if (Array.isArray(given) && !Array.isArray(given[0])) {
    if (given.length % 2 !== 0) throw new errors.InvalidArgumentError('headers array must be even');
    for (let i = 0; i < given.length; i += 2) add(flat, given[i], given[i + 1]);
    return flat;
  }
  if (typeof (given as Iterable<unknown>)[Symbol.iterator] === 'function') {
    for (const [name, value] of given as Iterable<[unknown, unknown]>) add(flat, name, value);
    return flat;
  }
  for (const name in given) add(flat, name, (given as Record<string, unknown>)[name]);
  return flat;
}

function add(flat: string[], name: unknown, value: unknown): void {
  if (value === undefined) return;
  if (Array.isArray(value)) for (const each of value) flat.push(String(name), textOf(name, each));
  else flat.push(String(name), textOf(name, value));
}

function textOf(name: unknown, value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value === 'object' || typeof value === 'function')
    throw new errors.InvalidArgumentError(`invalid ${String(name)} header`);
  return String(value);
}

/** Whether one of these names is given, in lower case. */
export function hasHeader(flat: readonly string[], lowerCaseName: string): boolean {
  for (let i = 0; i < flat.length; i += 2)
    if (flat[i]!.length === lowerCaseName.length && flat[i]!.toLowerCase() === lowerCaseName) return true;
  return false;
}

/** Headers of one attempt. */
export function attemptHeaders(
  given: readonly string[],
  hop: Hop,
  attempt: number,
  host: string | undefined,
  now: number,
  random: Random,
): string[] {
  const { criticality, customer, deadlineMs, traceId } = hop;
  const facts: HopFacts = {
    criticality,
    attempt,
    timeoutMs: remainingMs(deadlineMs, now),
    customer: customer === '' ? undefined : customer,
    traceparent: traceId === undefined ? undefined : traceParent(traceId, random),
  };
  const headers = writeRequestHeaders(given, facts);
  if (host !== undefined && !hasHeader(given, 'host')) headers.push('host', host);
  return headers;
}

/** A span of our own in the trace of the request being served; not recorded, since nobody here records. */
function traceParent(traceId: string, random: Random): string {
  return `00-${traceId}-${hex32(random)}${hex32(random)}-00`;
}

function hex32(random: Random): string {
  // Never all zeros, which would be no span id.
  return (1 + Math.floor(random() * 0xffff_fffe)).toString(16).padStart(8, '0');
}
