import type { Buffer } from 'node:buffer';
import type { HeaderKeeper, StoredHeaders } from './header-keeper.js';
import { restoreBody, type StoredBody, storeBody } from './stored-body.js';

const NO_FACTS: Readonly<Record<string, string>> = Object.freeze({});

/** A request whose turn has come later. */
export interface QueuedRequest {
  /** 128 random bits. The same for each attempt, so that a repeated one can be recognized. */
  readonly id: string;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** A flat list of names in lower case and values, without those of the connection and, unless asked for, secrets. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** What whoever accepted it knew of it, and no header of it can say. */
  readonly facts: Readonly<Record<string, string>>;
  readonly rule: string;
  readonly key: string;
  /** 1 for the first. Attempts that were cut off because their process ended are not counted. */
  readonly attempt: number;
  readonly acceptedMs: number;
  /** When its turn was, by the store's clock. */
  readonly dueMs: number;
}

/** A request to be queued. */
export interface OverflowingRequest {
  readonly method: string;
  readonly url: string;
  /** A flat list of names and values, as `rawHeaders` of a request has it. */
  readonly headers: readonly string[];
  /** Names in lower case of those that carry secrets, besides what the queue itself knows. */
  readonly secretHeaders?: readonly string[] | undefined;
  readonly body: Uint8Array;
  /** Kept with it, in the clear. */
  readonly facts?: Readonly<Record<string, string>> | undefined;
  readonly rule: string;
  readonly key: string;
  /** In units of the rule; 1 by default. */
  readonly cost?: number | undefined;
  /** When its turn is, and what time it is now: what `schedule` of the store said. */
  readonly dueMs: number;
  readonly nowMs: number;
}

/** A request as it lies in Redis. */
export interface StoredRequest extends StoredHeaders, StoredBody {
  readonly method: string;
  readonly url: string;
  readonly facts?: Readonly<Record<string, string>> | undefined;
  readonly rule: string;
  readonly key: string;
  readonly cost: number;
  readonly acceptedMs: number;
  readonly dueMs: number;
  /** Of those with one due time, which came first: counted by the process that accepted them. */
  readonly order: number;
  /** How often it was given another turn, because it missed its own. */
  readonly turns?: number;
}

export function storeRequest(
  keeper: HeaderKeeper,
  id: string,
  request: OverflowingRequest,
  order: number,
): StoredRequest {
  const { method, url, headers, secretHeaders, body, facts, rule, key, cost = 1, dueMs, nowMs } = request;
  return {
    method,
    url,
    ...keeper.store(id, headers, secretHeaders),
    ...storeBody(body),
    facts,
    rule,
    key,
    cost,
    acceptedMs: nowMs,
    dueMs,
    order,
  };
}

/** Throws when what is stored is no request, or cannot be read. */
export function restoreRequest(
  keeper: HeaderKeeper,
  id: string,
  stored: StoredRequest,
  attempt: number,
): QueuedRequest {
  const { method, url, facts = NO_FACTS, rule, key, acceptedMs, dueMs } = stored;
  const headers = keeper.restore(id, stored);
  const body = restoreBody(stored);
  return { id, method, url, headers, body, facts, rule, key, attempt, acceptedMs, dueMs };
}
