import { Buffer } from 'node:buffer';
import type { Refusal, RefusalAnswer } from '../core/index.js';
import { LAME_DUCK_HEADERS } from './lame-duck.js';
import { OVERLOADED_HEADER, PUSHBACK_HEADER, RATE_LIMITED_HEADER, RETRY_AFTER_HEADER } from './names.js';

/** What is answered to a refused request: the gate's answers, and one of its own for who came before the start. */
export type AnswerName = RefusalAnswer | 'not-ready';

/** One answer, its headers as a flat list of names and values (`writeHead` takes it), without those of the connection. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly string[];
  readonly body: string;
}

function answer(status: number, statusText: string, headers: readonly string[], problem: object): Answer {
  const body = JSON.stringify({ ...problem, status });
  const all = [...headers, 'content-type', 'application/problem+json', 'content-length', String(body.length)];
  return Object.freeze({ status, statusText, headers: Object.freeze(all), body });
}

/** Names a kind of problem (RFC 9457), of those that draft-ietf-httpapi-ratelimit-headers registers. */
function problemType(name: string): string {
  return `https://iana.org/assignments/http-problem-types#${name}`;
}

/** What a backend measures of itself, it measures over a second: sooner it has nothing new to say. */
const RETRY_SOON = [RETRY_AFTER_HEADER, '1'];
/** That the whole service is overloaded is seen over ten seconds (OverloadAdvice): half of them later it may look different. */
const RETRY_LATER = [RETRY_AFTER_HEADER, '5'];

/** Shed by us, and provably not processed: a handler's own 503 does not say so. */
const SHED = [OVERLOADED_HEADER, 'true'];
/** gRFC A6: a negative pushback means do not retry. */
const NO_RETRY = [PUSHBACK_HEADER, '-1'];

const OVERLOADED = { type: problemType('temporary-reduced-capacity'), title: 'Overloaded' };

export const ANSWERS: Readonly<Record<AnswerName, Answer>> = Object.freeze({
  'task-overloaded': answer(503, 'Service Unavailable', [...SHED, ...RETRY_SOON], OVERLOADED),
  'overloaded-no-retry': answer(
    503,
    'Service Unavailable',
    [...SHED, ...NO_RETRY, ...RETRY_LATER],
    OVERLOADED,
  ),
  limited: answer(429, 'Too Many Requests', [RATE_LIMITED_HEADER, 'true', ...RETRY_SOON], {
    type: problemType('quota-exceeded'),
    title: 'Quota exceeded',
  }),
  // It was not processed, and it is too late to send it anywhere: without the two headers it would count as an error of
  // a backend that did right.
  late: answer(504, 'Gateway Timeout', [...SHED, ...NO_RETRY], { title: 'Deadline exceeded' }),
  'not-ready': answer(503, 'Service Unavailable', [...SHED, ...RETRY_SOON], { title: 'Not ready' }),
});

/** The answer to a refusal. */
export function answerName(refusal: Refusal): AnswerName {
  return refusal.reason === 'not-ready' ? 'not-ready' : refusal.answer;
}

/** How an answer is sent. */
export interface AnswerForm {
  /** This connection ends after it. */
  readonly close?: boolean;
  /** All connections should: `connection: close`, and word to leave this backend alone. */
  readonly lameDuck?: boolean;
  /** To a HEAD request: the same headers, and no body. */
  readonly head?: boolean;
}

const KEEP_ALIVE: readonly string[] = Object.freeze(['connection', 'keep-alive']);
const CLOSE: readonly string[] = Object.freeze(['connection', 'close']);

function connectionHeaders(form: AnswerForm): readonly string[] {
  if (form.lameDuck === true) return LAME_DUCK_HEADERS;
  return form.close === true ? CLOSE : KEEP_ALIVE;
}

/**
 * A complete HTTP/1.1 answer with further headers (the load report, the date), for whoever keeps it for as long as those
 * hold. Names and values are written as they are: they must be clean.
 */
export function renderRefusal(
  name: AnswerName,
  form: AnswerForm = {},
  further: readonly string[] = [],
): Buffer {
  const { status, statusText, headers, body } = ANSWERS[name];
  let text = `HTTP/1.1 ${status} ${statusText}\r\n`;
  const all = [...headers, ...further, ...connectionHeaders(form)];
  for (let i = 0; i < all.length; i += 2) text += `${all[i]}: ${all[i + 1]}\r\n`;
  return Buffer.from(`${text}\r\n${form.head === true ? '' : body}`, 'latin1');
}

function formIndex(form: AnswerForm): number {
  return (form.close === true ? 1 : 0) | (form.lameDuck === true ? 2 : 0) | (form.head === true ? 4 : 0);
}

const FORMS: readonly AnswerForm[] = Array.from({ length: 8 }, (_, bits) => ({
  close: (bits & 1) !== 0,
  lameDuck: (bits & 2) !== 0,
  head: (bits & 4) !== 0,
}));

function prebuild(name: AnswerName): readonly Buffer[] {
  return FORMS.map((form) => renderRefusal(name, form));
}

const PREBUILT: Readonly<Record<AnswerName, readonly Buffer[]>> = {
  'task-overloaded': prebuild('task-overloaded'),
  'overloaded-no-retry': prebuild('overloaded-no-retry'),
  limited: prebuild('limited'),
  late: prebuild('late'),
  'not-ready': prebuild('not-ready'),
};

/** The same without further headers, made at load. It is shared: do not write to it. */
export function refusalBytes(name: AnswerName, form: AnswerForm = {}): Buffer {
  return PREBUILT[name][formIndex(form)]!;
}

/** All headers of an answer, those of the connection included. */
export function refusalHeaders(name: AnswerName, form: AnswerForm = {}): string[] {
  return [...ANSWERS[name].headers, ...connectionHeaders(form)];
}
