import { RejectedError } from '../../core/index.js';
import { ANSWERS } from '../../wire/index.js';
import { OVERLOADED_HEADER, PUSHBACK_HEADER, RETRY_AFTER_HEADER } from '../../wire/names.js';

/** An answer of our own (RFC 9457). */
export interface Problem {
  readonly status: number;
  /** Flat, without those of the connection. */
  readonly headers: readonly string[];
  readonly body: string;
}

function problem(status: number, title: string, further: readonly string[] = []): Problem {
  const body = JSON.stringify({ title, status });
  const headers = [
    ...further,
    'content-type',
    'application/problem+json',
    'content-length',
    String(body.length),
  ];
  return Object.freeze({ status, headers: Object.freeze(headers), body });
}

export const PROBLEMS = Object.freeze({
  'bad-request': problem(400, 'Bad request'),
  // Neither is there something to reach through us, nor is anybody told what we add to requests.
  'bad-method': problem(405, 'Method not allowed', ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS']),
  'too-large': problem(413, 'Content too large'),
  'bad-headers': problem(431, 'Request header fields too large'),
  'bad-coding': problem(501, 'Transfer coding not implemented'),
  'bad-gateway': problem(502, 'Bad gateway'),
  unavailable: problem(503, 'Service unavailable', ['retry-after', '1']),
  timeout: problem(504, 'Gateway timeout'),
  loop: problem(508, 'Loop detected'),
});

export type ProblemName = keyof typeof PROBLEMS;

/** Ends a request whose body is longer than allowed. */
export class BodyTooLargeError extends Error {
  constructor() {
    super('the request body is too long');
    this.name = 'BodyTooLargeError';
  }
}

/** A backend answered with something that cannot be passed on. */
export class BadAnswerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadAnswerError';
  }
}

/** What undici says of requests that it does not send: the client's fault, as nothing that we add is at fault. */
const BAD_REQUEST: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

const TIMEOUT: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
]);

/** The service is being closed here: another gateway, or this one in a moment, has it. */
const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

/**
 * What a client is told of an error that ended its request. Nothing of the inside is in it; headers by which services of
 * ours talk about overload are for those whose word is believed, too.
 */
export function problemOf(error: Error, isTrusted: boolean | undefined = false): Problem {
  if (error instanceof RejectedError) return refusalOf(error, isTrusted);
  if (error instanceof BodyTooLargeError) return PROBLEMS['too-large'];
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return PROBLEMS['bad-gateway'];
  if (BAD_REQUEST.has(code)) return PROBLEMS['bad-request'];
  if (TIMEOUT.has(code)) return PROBLEMS.timeout;
  return CLOSED.has(code) ? PROBLEMS.unavailable : PROBLEMS['bad-gateway'];
}

/**
 * Too much is as a guard answers it: *don't retry*, since it was retried here; and when, if that is known. A service
 * without a backend that could be asked is none that has too much to do: it is not there.
 */
function refusalOf({ code, retryAfterMs }: RejectedError, isTrusted: boolean): Problem {
  if (code === 'PLIMSOLL_NO_BACKEND') return PROBLEMS.unavailable;
  const isLate = code === 'PLIMSOLL_DEADLINE';
  const { status, headers, body } = ANSWERS[isLate ? 'late' : 'overloaded-no-retry'];
  const seconds =
    retryAfterMs === undefined || isLate ? undefined : String(Math.max(1, Math.ceil(retryAfterMs / 1_000)));
  const told: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (!isTrusted && INTERNAL.has(name)) continue;
    told.push(name, name === RETRY_AFTER_HEADER ? (seconds ?? headers[i + 1]!) : headers[i + 1]!);
  }
  return { status, headers: told, body };
}

const INTERNAL: ReadonlySet<string> = new Set([OVERLOADED_HEADER, PUSHBACK_HEADER]);
