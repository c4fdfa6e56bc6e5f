import { elapsedMs } from '../../core/elapsed.js';
import type { HeaderKeeper } from './header-keeper.js';
import { jsonAnswer, type OverflowAnswer, problemAnswer, retryAfter } from './overflow-answers.js';
import { type QueuedAnswer, restoreAnswer } from './queued-answer.js';
import { EARLY_MS } from './start-gate.js';

/** What has become of a request. */
export type QueueStatus =
  | { readonly status: 'waiting'; readonly dueInMs: number; readonly attempts: number }
  | { readonly status: 'running'; readonly attempts: number }
  | { readonly status: 'done'; readonly answer: QueuedAnswer }
  | { readonly status: 'failed'; readonly attempts: number; readonly reason: string }
  /** Never seen, cancelled, or so long ago that it is forgotten. */
  | { readonly status: 'unknown' };

type Command = readonly [string, ...string[]];

/**
 * What to ask Redis about a request, all of it at once. The answer comes last: it is written before the job is removed,
 * so whoever misses the job sees the answer.
 */
export function statusCommands(toKey: (part: string) => string, id: string): readonly Command[] {
  return [
    ['zscore', toKey('delayed'), id],
    ['zscore', toKey('failed'), id],
    ['hmget', toKey(id), 'timestamp', 'atm', 'failedReason'],
    ['exists', toKey(`${id}:lock`)],
    ['get', answerKey(toKey, id)],
  ];
}

/** Ids have no colon, so no job has this key. */
export function answerKey(toKey: (part: string) => string, id: string): string {
  return toKey(`answer:${id}`);
}

/** BullMQ keeps a due time and, in the lowest 12 bits, the order of those that are due at the same. */
const PLACES_PER_MS = 0x1000;

export function readStatus(
  keeper: HeaderKeeper,
  id: string,
  replies: readonly unknown[],
  nowMs: number,
): QueueStatus {
  const [delayed, failed, fields, isLocked, answer] = replies as [
    string | null,
    string | null,
    readonly (string | null)[],
    number,
    string | null,
  ];
  if (answer !== null) return { status: 'done', answer: restoreAnswer(keeper, id, answer) };
  const [added, made, reason] = fields;
  if (typeof added !== 'string') return { status: 'unknown' };
  const attempts = Number(made ?? 0);
  if (failed !== null) return { status: 'failed', attempts, reason: reason ?? '' };
  if (delayed !== null) {
    const dueMs = Math.floor(Number(delayed) / PLACES_PER_MS) + EARLY_MS;
    return { status: 'waiting', dueInMs: elapsedMs(nowMs, dueMs), attempts };
  }
  return isLocked === 1 ? { status: 'running', attempts } : { status: 'waiting', dueInMs: 0, attempts };
}

/**
 * What is told by HTTP. That a request failed is no failure of the question; why it did is nobody's business but ours: what
 * was thrown may name hosts and passwords.
 */
export function statusAnswer(id: string, status: QueueStatus): OverflowAnswer {
  if (status.status === 'unknown') return problemAnswer(404, 'No such request is queued');
  if (status.status === 'waiting') return jsonAnswer(200, { id, ...status }, retryAfter(status.dueInMs));
  if (status.status === 'running') return jsonAnswer(200, { id, ...status }, retryAfter(0));
  if (status.status === 'failed')
    return jsonAnswer(200, { id, status: status.status, attempts: status.attempts });
  return jsonAnswer(200, { id, ...status });
}
