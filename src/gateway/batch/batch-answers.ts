import type { IncomingMessage, ServerResponse } from 'node:http';
import { ANSWERS, RATE_LIMITED_HEADER, RETRY_AFTER_HEADER } from '../../wire/index.js';
import { discardRest } from '../forwarding/lingering.js';
import { lengthOf } from './held-bodies.js';

/** Why a request was not sent on. */
export type BatchRefusal =
  /** Too many wait. */
  | 'queue-full'
  /** Too many of its job do. */
  | 'job-full'
  /** Too much of the bodies of those that wait is in memory. */
  | 'bodies-full'
  /** It has waited as long as anybody may. */
  | 'waited'
  /** Its deadline has passed. */
  | 'late'
  /** The proxy is being closed. */
  | 'closed';

/** A shorter body is read to its end and forgotten: a connection costs both sides more. */
const MOST_DISCARDED_BYTES = 65_536;

/** Nobody is asked to come back later than this. */
const MOST_RETRY_SECONDS = 60;

/** RFC 9457. The type is one of those that draft-ietf-httpapi-ratelimit-headers registers. */
const BODY = JSON.stringify({
  type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
  title: 'Too many batch requests are waiting',
  status: 429,
});

/**
 * When to come back: when those that wait now are through, or up to twice as late. All who are refused in one moment
 * would otherwise come back in one moment.
 */
export function retrySeconds(waiting: number, ratePerSecond: number, random: number): number {
  const seconds = (waiting / ratePerSecond) * (1 + random);
  return Math.min(MOST_RETRY_SECONDS, Math.max(1, Math.ceil(seconds)));
}

/** Says no. What remains of a long body is read for a moment, and the connection then ends: its client may be sending. */
export function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  refusal: BatchRefusal,
  retryAfterSeconds: number,
): void {
  if (res.destroyed || res.headersSent) return;
  const { status, headers, body } = answerTo(refusal, retryAfterSeconds);
  const isLong = lengthOf(req) > MOST_DISCARDED_BYTES || req.headers.expect !== undefined;
  const isCut = isLong && !req.complete;
  res.writeHead(status, (isCut ? [...headers, 'connection', 'close'] : [...headers]) as string[]);
  res.end(body);
  if (isCut) discardRest(req, res);
}

function answerTo(refusal: BatchRefusal, retryAfterSeconds: number) {
  if (refusal === 'late') return ANSWERS.late;
  if (refusal === 'closed') return ANSWERS['not-ready'];
  const headers = [
    RATE_LIMITED_HEADER,
    'true',
    RETRY_AFTER_HEADER,
    String(retryAfterSeconds),
    'content-type',
    'application/problem+json',
    'content-length',
    String(BODY.length),
  ];
  return { status: 429, headers, body: BODY };
}
