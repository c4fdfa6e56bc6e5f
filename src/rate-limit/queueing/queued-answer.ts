import { Buffer } from 'node:buffer';
import type { HeaderKeeper, StoredHeaders } from './header-keeper.js';
import { type StoredBody, storeBody } from './stored-body.js';

/** What performing a request gave. */
export interface PerformedAnswer {
  readonly status: number;
  /** A flat list of names and values, or an object of them. */
  readonly headers?: readonly string[] | Readonly<Record<string, string | readonly string[]>> | undefined;
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
  const body = bytesOf(answer.body);
  const isBodyOmitted = answer.isBodyOmitted === true || body.byteLength > maxBytes;
  const stored: StoredAnswer = {
    status: answer.status,
    ...keeper.store(placeOf(id), flatHeaders(answer.headers)),
    ...(isBodyOmitted ? { isBodyOmitted } : storeBody(body)),
  };
  return JSON.stringify(stored);
}

function bytesOf(body: unknown): Uint8Array {
  if (body === undefined || body === null) return new Uint8Array();
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError(`perform must answer with a body that is a text or bytes, got ${typeof body}`);
}

function flatHeaders(given: unknown): readonly string[] {
  const flat = isIterable(given) ? [...given].flat() : pairsOf(given ?? {});
  if (flat.length % 2 === 0 && flat.every((text) => typeof text === 'string')) return flat;
  throw new TypeError(
    'perform must answer with headers that are a list of names and values, all of them texts',
  );
}

/** A list, or what is called Headers elsewhere. */
function isIterable(given: unknown): given is Iterable<unknown> {
  return typeof given === 'object' && given !== null && Symbol.iterator in given;
}

function pairsOf(given: unknown): unknown[] {
  if (typeof given !== 'object' || given === null) return [given];
  return Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).flatMap((each: unknown) => [name, each]),
  );
}

export function restoreAnswer(keeper: HeaderKeeper, id: string, text: string): QueuedAnswer {
  const { sealed, ...stored } = JSON.parse(text) as StoredAnswer;
  if (sealed === undefined) return stored;
  return { ...stored, headers: keeper.restore(placeOf(id), { headers: stored.headers, sealed }) };
}
