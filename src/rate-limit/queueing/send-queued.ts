import { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import type { PerformLimits } from './overflow-options.js';
import type { PerformedAnswer } from './queued-answer.js';
import type { QueuedRequest } from './queued-request.js';

/** Where a request that was kept is sent, and how. */
export interface QueuedSending {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** A flat list of names and values. */
  readonly headers: readonly string[];
  /** Until the answer's headers, and between two parts of its body; undefined: for the dispatcher to say. */
  readonly silenceMs?: number | undefined;
  /** Whether an answer of this status is a failed attempt, and tried again. */
  readonly isFailure: (status: number) => boolean;
  /** Undici's own when there is none. */
  readonly dispatcher?: Dispatcher | undefined;
  /** What the dispatcher is told besides. */
  readonly further?: object | undefined;
}

/** An answer as it came: its headers as a flat list. */
export interface SentAnswer extends PerformedAnswer {
  readonly headers: readonly string[];
}

/**
 * Sends a request on whose turn has come. Since that may happen more than once, it carries an `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header), unless it had one.
 */
export async function sendQueued(
  { id, method, body }: QueuedRequest,
  sending: QueuedSending,
  { signal, maxResultBytes }: PerformLimits,
): Promise<SentAnswer> {
  // Loaded by those only who perform so.
  const { getGlobalDispatcher } = await import('undici');
  const { origin, path, silenceMs, isFailure, further, dispatcher = getGlobalDispatcher() } = sending;
  const answer = await dispatcher.request({
    ...further,
    origin,
    path,
    method: method as Dispatcher.HttpMethod,
    headers: withKey(sending.headers, id),
    body: body.byteLength > 0 ? body : null,
    ...(silenceMs === undefined ? {} : { headersTimeout: silenceMs, bodyTimeout: silenceMs }),
    signal,
    responseHeaders: 'raw',
  });
  const status = answer.statusCode;
  const read = await readUpTo(answer.body, maxResultBytes);
  // A promise says nothing yet: taken for true, it would have each answer tried again.
  if (isFailure(status) === true) throw new Error(`it was answered with ${status}`);
  // Raw headers are a flat list, which the types do not know.
  const headers = (answer.headers as unknown as (string | Buffer)[]).map(String);
  return read === undefined ? { status, headers, isBodyOmitted: true } : { status, headers, body: read };
}

function withKey(headers: readonly string[], id: string): string[] {
  const hasKey = headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'idempotency-key');
  return hasKey ? [...headers] : [...headers, 'idempotency-key', `"${id}"`];
}

/** Undefined when there is more; the rest is not read. */
async function readUpTo(body: Dispatcher.ResponseData['body'], most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
