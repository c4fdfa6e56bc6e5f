import { Buffer } from 'node:buffer';
import type { HeaderKeeper, StoredHeaders } from './header-keeper.js';
import { type StoredBody, storeBody } from './stored-body.js';

/** What performing a request gave. */
export interface PerformedAnswer {
  readonly status: number;
  /** A flat list of names and values. */
  readonly headers?: readonly string[] | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** There was a body, which is not here: it is longer than what is kept. */
  readonly isBodyOmitted?: boolean | undefined;
}

/** An answer as it lies in Redis. */
export interface StoredAnswer extends StoredHeaders, Partial<StoredBody> {
  readonly status: number;
  readonly isBodyOmitted?: true;
}

/** An answer as it is shown to whoever asks for it. */
export interface QueuedAnswer extends Partial<StoredBody> {
  readonly status: number;
  readonly headers: readonly string[];
  readonly isBodyOmitted?: true;
}

/** Where an answer's secrets are encrypted for: not the place of the request's, lest one pass for the other. */
const placeOf = (id: string): string => `answer:${id}`;

/** A body that is too long is left out, and not cut: half a document is worse than none. */
export function storeAnswer(
  keeper: HeaderKeeper,
  id: string,
  answer: PerformedAnswer,
  maxBytes: number,
): string {
  if (!Number.isInteger(answer?.status)) {
    throw new TypeError(`perform must answer with a status, got ${String(answer?.status)}`);
  }
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : (answer.body ?? new Uint8Array());
  const isBodyOmitted = answer.isBodyOmitted === true || body.byteLength > maxBytes;
  const stored: StoredAnswer = {
    status: answer.status,
    ...keeper.store(placeOf(id), answer.headers ?? []),
    ...(isBodyOmitted ? { isBodyOmitted } : storeBody(body)),
  };
  return JSON.stringify(stored);
}

export function restoreAnswer(keeper: HeaderKeeper, id: string, text: string): QueuedAnswer {
  const { sealed, ...stored } = JSON.parse(text) as StoredAnswer;
  if (sealed === undefined) return stored;
  return { ...stored, headers: keeper.restore(placeOf(id), { headers: stored.headers, sealed }) };
}
