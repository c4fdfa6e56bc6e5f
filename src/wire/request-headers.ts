import { type Criticality, parseCriticality } from '../core/index.js';
import { criticalityInBaggage } from './baggage.js';
import { decodeCustomer } from './customer-name.js';
import { decodeGrpcTimeout, GRPC_TIMEOUT_HEADER } from './grpc-timeout.js';
import {
  ATTEMPT_HEADER,
  BAGGAGE_HEADER,
  CRITICALITY_HEADER,
  CUSTOMER_HEADER,
  PREVIOUS_ATTEMPTS_HEADER,
  TIMEOUT_HEADER,
  TRACE_PARENT_HEADER,
} from './names.js';
import type { RequestFacts } from './request-facts.js';
import { isNamed, parseDigits } from './text.js';

/** Nobody retries that often: what claims to be the thousandth attempt is no better known by that number. */
const MOST_ATTEMPTS = 100;

/** Ten digits of milliseconds are a hundred days. */
const TIMEOUT_DIGITS = 10;

/** Of 16 digits are the largest numbers that are exact. */
const LENGTH_DIGITS = 15;

/** Connection options are few and short. */
const MOST_OPTIONS = 256;

const CRITICALITY = 1;
const ATTEMPT = 2;
const TIMEOUT = 4;
const CUSTOMER = 8;
const TRACE = 16;
const PREVIOUS_ATTEMPTS = 32;

/**
 * Reads a request's headers, a flat list of names and values as Node's `rawHeaders` has them, in one pass: this runs for
 * every request, also for each one that is refused. A name is looked at only when it is as long as one of ours, letter
 * by letter until the first that differs. What is malformed is ignored and counted; of a header that comes twice the
 * first holds (whoever adds a second one behind a trusted proxy gains nothing).
 */
export function readRequestHeaders(raw: readonly string[], into: RequestFacts): void {
  into.reset();
  let baggageAt = -1;
  let hasUpgrade = false;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!;
    switch (name.length) {
      case 6:
        if (isNamed(name, 'expect')) into.expectsContinue = isContinue(raw[i + 1]!);
        break;
      case 7:
        if (isNamed(name, 'upgrade')) hasUpgrade = true;
        else if (baggageAt < 0 && isNamed(name, BAGGAGE_HEADER)) baggageAt = i;
        break;
      case 11:
        if (isNamed(name, TRACE_PARENT_HEADER) && isFirst(into, TRACE)) into.traceparent = raw[i + 1]!;
        break;
      case 12:
        if (isNamed(name, GRPC_TIMEOUT_HEADER)) readGrpcTimeout(raw[i + 1]!, into);
        break;
      case 14:
        if (isNamed(name, 'content-length')) readLength(raw[i + 1]!, into);
        break;
      case 17:
        if (isNamed(name, 'transfer-encoding')) into.hasBody = true;
        break;
      case 19:
        if (isNamed(name, CUSTOMER_HEADER) && isFirst(into, CUSTOMER)) readCustomer(raw[i + 1]!, into);
        break;
      case 21:
        if (isNamed(name, CRITICALITY_HEADER)) readCriticality(raw[i + 1]!, into);
        else if (isNamed(name, ATTEMPT_HEADER)) readAttempt(raw[i + 1]!, into);
        break;
      case 26:
        if (isNamed(name, PREVIOUS_ATTEMPTS_HEADER)) readPreviousAttempts(raw[i + 1]!, into);
        break;
      case 30:
        if (isNamed(name, TIMEOUT_HEADER) && isFirst(into, TIMEOUT)) readTimeout(raw[i + 1]!, into);
        break;
    }
  }
  if (baggageAt >= 0 && into.criticality === undefined) readBaggage(raw, baggageAt, into);
  if (hasUpgrade) into.isUpgrade = hasConnectionOption(raw, 'upgrade');
}

function isFirst(facts: RequestFacts, bit: number): boolean {
  if ((facts.seen & bit) !== 0) {
    facts.malformed++;
    return false;
  }
  facts.seen |= bit;
  return true;
}

function isContinue(value: string): boolean {
  return value.length === 12 && isNamed(value, '100-continue');
}

function readLength(value: string, facts: RequestFacts): void {
  const length = parseDigits(value, LENGTH_DIGITS);
  // One that makes no sense does not mean that nothing follows.
  if (length !== 0) facts.hasBody = true;
  if (length < 0) facts.malformed++;
  else facts.contentLength = length;
}

function readCustomer(value: string, facts: RequestFacts): void {
  facts.customer = decodeCustomer(value);
  if (facts.customer === undefined) facts.malformed++;
}

/** As we write it ourselves; anything else takes the longer way. */
function criticalityOf(value: string): Criticality | undefined {
  switch (value) {
    case 'CRITICAL':
    case 'CRITICAL_PLUS':
    case 'SHEDDABLE':
    case 'SHEDDABLE_PLUS':
      return value;
    default:
      return parseCriticality(value);
  }
}

function readCriticality(value: string, facts: RequestFacts): void {
  if (!isFirst(facts, CRITICALITY)) return;
  facts.criticality = criticalityOf(value);
  if (facts.criticality === undefined) facts.malformed++;
}

function readAttempt(value: string, facts: RequestFacts): void {
  if (!isFirst(facts, ATTEMPT)) return;
  const attempt = parseDigits(value, 6);
  if (attempt < 1) facts.malformed++;
  else facts.attempt = Math.max(facts.attempt, Math.min(attempt, MOST_ATTEMPTS));
}

/** gRPC's own word for it (gRFC A6): how many there were before. Said by both a client and a proxy, the later attempt it is. */
function readPreviousAttempts(value: string, facts: RequestFacts): void {
  if (!isFirst(facts, PREVIOUS_ATTEMPTS)) return;
  const before = parseDigits(value, 6);
  if (before < 0) facts.malformed++;
  else facts.attempt = Math.max(facts.attempt, Math.min(before + 1, MOST_ATTEMPTS));
}

function readTimeout(value: string, facts: RequestFacts): void {
  const timeoutMs = parseDigits(value, TIMEOUT_DIGITS);
  if (timeoutMs < 0) facts.malformed++;
  else facts.timeoutMs = Math.min(timeoutMs, facts.timeoutMs ?? Number.POSITIVE_INFINITY);
}

/** gRPC's own word for it. Of the two the shorter one holds. */
function readGrpcTimeout(value: string, facts: RequestFacts): void {
  const timeoutMs = decodeGrpcTimeout(value);
  if (timeoutMs === undefined) facts.malformed++;
  else facts.timeoutMs = Math.min(timeoutMs, facts.timeoutMs ?? Number.POSITIVE_INFINITY);
}

/** Baggage may come in several headers; the first that has our member decides. */
function readBaggage(raw: readonly string[], from: number, facts: RequestFacts): void {
  for (let i = from; i + 1 < raw.length; i += 2) {
    if (!isNamed(raw[i]!, BAGGAGE_HEADER)) continue;
    const found = criticalityInBaggage(raw[i + 1]!);
    if (found === undefined) continue;
    if (found === 'malformed') facts.malformed++;
    else facts.criticality = found;
    return;
  }
}

function hasConnectionOption(raw: readonly string[], option: string): boolean {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (!isNamed(raw[i]!, 'connection')) continue;
    const options = raw[i + 1]!.slice(0, MOST_OPTIONS).toLowerCase().split(',');
    if (options.some((each) => each.trim() === option)) return true;
  }
  return false;
}
