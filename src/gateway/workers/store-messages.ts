import type { RateDecision, RateLimitOptions } from '../../core/index.js';
import type { RateRequest, ScheduleAnswer, Settlement, TakeAnswer } from '../../stores/rate-store.js';

/** A rule's name, a key, what it costs, and 1 if it only counts. Lists: thousands of them travel in a second. */
export type SentRequest = readonly [rule: string, key: string, cost: number, isShadow: 0 | 1];

export type SentAsk =
  | readonly ['take', readonly SentRequest[]]
  | readonly ['peek', readonly SentRequest[]]
  | readonly ['schedule', SentRequest]
  | readonly ['reset', string, string]
  | readonly [
      'settle',
      readonly (readonly [rule: string, key: string, reserved: number, actual: number, takenAtMs: number])[],
    ];

/** What a worker asks in one turn of its event loop. */
export interface SentAsks {
  /** Those that it speaks of for the first time. */
  readonly rules: readonly (readonly [name: string, options: RateLimitOptions])[];
  readonly asks: readonly SentAsk[];
}

/** JSON has no Infinity: null stands for it, in times after which to come again. */
type SentNumber = number | null;
export type SentDecision = readonly [
  allowed: 0 | 1,
  limit: number,
  remaining: number,
  resetMs: number,
  retryAfterMs: SentNumber,
];

/** In the order of the asks. */
export type SentAnswer =
  | readonly ['taken', allowed: 0 | 1, takenAtMs: number, decisions: readonly SentDecision[]]
  | readonly ['peeked', decisions: readonly SentDecision[]]
  | readonly ['place', nowMs: number, dueMs: SentNumber, retryAfterMs: SentNumber]
  | readonly ['done']
  | readonly ['failed', name: string, message: string];

export function sendRequest({ rule, key, cost, isShadow }: RateRequest): SentRequest {
  return [rule.name, key, cost, isShadow === true ? 1 : 0];
}

export function sendSettlement({ rule, key, reserved, actual, takenAtMs }: Settlement) {
  return [rule.name, key, reserved, actual, takenAtMs] as const;
}

export function sendTaken({ allowed, takenAtMs, decisions }: TakeAnswer): SentAnswer {
  return ['taken', allowed ? 1 : 0, takenAtMs, decisions.map(sendDecision)];
}

export function sendPlace({ nowMs, dueMs, retryAfterMs }: ScheduleAnswer): SentAnswer {
  return ['place', nowMs, dueMs ?? null, finite(retryAfterMs)];
}

export function sendDecision(decision: RateDecision): SentDecision {
  const { allowed, limit, remaining, resetMs, retryAfterMs } = decision;
  return [allowed ? 1 : 0, limit, remaining, resetMs, finite(retryAfterMs)];
}

export function decisionOf([allowed, limit, remaining, resetMs, retryAfterMs]: SentDecision): RateDecision {
  return { allowed: allowed === 1, limit, remaining, resetMs, retryAfterMs: retryAfterMs ?? FOREVER };
}

export function placeOf(nowMs: number, dueMs: SentNumber, retryAfterMs: SentNumber): ScheduleAnswer {
  return { nowMs, dueMs: dueMs ?? undefined, retryAfterMs: retryAfterMs ?? FOREVER };
}

const FOREVER = Number.POSITIVE_INFINITY;

function finite(ms: number): SentNumber {
  return Number.isFinite(ms) ? ms : null;
}
