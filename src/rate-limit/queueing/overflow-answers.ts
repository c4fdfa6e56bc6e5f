import { Buffer } from 'node:buffer';
import { seconds } from '../answers/limit-headers.js';

/** What is answered by HTTP: to a request that was to be queued, or to a question about one. */
export interface OverflowAnswer {
  readonly status: number;
  /** A flat list of names and values. */
  readonly headers: readonly string[];
  readonly body: string;
}

function withBody(status: number, type: string, value: object, more: readonly string[]): OverflowAnswer {
  const body = JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  // It changes from one moment to the next, and is for one client only.
  const headers = ['Cache-Control', 'no-store', ...more, 'Content-Type', type, 'Content-Length', length];
  return { status, headers, body };
}

export function jsonAnswer(status: number, value: object, more: readonly string[] = []): OverflowAnswer {
  return withBody(status, 'application/json', value, more);
}

/** RFC 9457. */
export function problemAnswer(status: number, title: string, more: readonly string[] = []): OverflowAnswer {
  return withBody(status, 'application/problem+json', { title, status }, more);
}

/** When to look (again): whole seconds, and never at once. */
export function retryAfter(ms: number): string[] {
  return ['Retry-After', String(Math.max(1, seconds(ms)))];
}

export function acceptedAnswer(statusPath: string, id: string, dueInMs: number): OverflowAnswer {
  return jsonAnswer(202, { id, status: 'waiting', dueInMs }, [
    'Location',
    `${statusPath}/${id}`,
    ...retryAfter(dueInMs),
  ]);
}

/** Redis comes back within seconds or not for long; a client that asks each second harms nobody. */
const UNAVAILABLE_MS = 1_000;

/** Nobody has said that it is kept, so nobody may rely on it. */
export function unavailableAnswer(): OverflowAnswer {
  return problemAnswer(503, 'The queue is not available', retryAfter(UNAVAILABLE_MS));
}

export function fullAnswer(): OverflowAnswer {
  return problemAnswer(503, 'The queue is full', retryAfter(UNAVAILABLE_MS));
}

/** What is still being sent is not waited for. */
export function tooLargeAnswer(): OverflowAnswer {
  return problemAnswer(413, 'The request is too large to be queued', ['Connection', 'close']);
}
