import type { IncomingMessage } from 'node:http';
import { elapsedMs } from '../../core/elapsed.js';
import type { RateDecision } from '../../core/index.js';
import type { RateRequest, RateStore, ScheduleAnswer } from '../../stores/rate-store.js';
import { decisionWithoutStore } from '../fallback.js';
import type { RequestView } from '../rules/request-view.js';
import type { CompiledRule } from '../rules/rule-options.js';
import type { StoreCalls } from '../store-calls.js';
import type { WithoutStore } from '../without-store.js';
import type { OverflowAnswer } from './overflow-answers.js';
import type { OverflowQueue } from './overflow-queue.js';
import { READ_BODY_MS, readBody } from './read-body.js';

/** When a request's turn is under a rule. */
export interface Turn {
  readonly rule: CompiledRule;
  readonly request: RateRequest;
  /** Allowed: it has a turn, now or later. */
  readonly decision: RateDecision;
  /** Undefined: now. */
  readonly later: { readonly dueMs: number; readonly nowMs: number } | undefined;
  readonly isUndecided: boolean;
}

export interface TurnParts {
  readonly queue: OverflowQueue;
  /** Names in lower case of headers that let somebody act for somebody else. */
  readonly secretHeaders: readonly string[];
  readonly store: RateStore;
  readonly calls: StoreCalls;
  readonly without: WithoutStore;
}

/** Rules whose requests get a turn: requests pass at a constant rate, and those whose turn is later are queued until then. */
export class QueueTurns {
  readonly #parts: TurnParts;

  constructor(parts: TurnParts, rules: readonly CompiledRule[]) {
    this.#parts = parts;
    const rates = new Map(rules.map(({ rate }) => [rate.name, rate]));
    // Those that missed their turn get another one, of the same line: so the rate holds after an outage, too.
    parts.queue.paceBy(async (name, key, cost) => {
      const rule = rates.get(name);
      return rule === undefined ? { dueMs: 0, retryAfterMs: 0 } : parts.store.schedule({ rule, key, cost });
    });
  }

  async turnOf(rule: CompiledRule, request: RateRequest, view: RequestView): Promise<Turn> {
    const { store, calls, without } = this.#parts;
    const place = await calls.call(() => store.schedule(request));
    if (place !== undefined) {
      without.onAnswered();
      return turn(rule, request, place, view, false);
    }
    const local = await without.schedule({ ...request, fallback: rule.fallback });
    if (local !== undefined) return turn(rule, request, local, view, true);
    const decision = decisionWithoutStore(request.rule, rule.fallback.choice);
    return { rule, request, decision, later: undefined, isUndecided: true };
  }

  /** Keeps it until its turn: what to answer meanwhile. */
  async enqueue({ request, later }: Turn, view: RequestView): Promise<OverflowAnswer> {
    const { queue, secretHeaders } = this.#parts;
    const incoming = incomingOf(view);
    const { method, url, facts, secretHeaders: further = [], maxBodyBytes = Number.POSITIVE_INFINITY } = view;
    const maxBytes = Math.min(queue.maxBodyBytes, maxBodyBytes);
    const read = await readBody(incoming, { maxBytes, timeoutMs: READ_BODY_MS });
    if ('answer' in read) return read.answer;
    const { rule, key, cost } = request;
    const headers = incoming.rawHeaders;
    return await queue.accept({
      method,
      url,
      headers,
      secretHeaders: [...secretHeaders, ...further],
      body: read.body,
      facts,
      rule: rule.name,
      key,
      cost,
      ...later!,
    });
  }

  /** The page on which somebody sees what became of a request; undefined for all others. */
  answerStatus({ method, url }: RequestView): Promise<OverflowAnswer | undefined> {
    return this.#parts.queue.answerStatus(method, url);
  }
}

/** Throws for a request of which headers and body are not at hand: it could not be kept, and its turn would be lost. */
export function incomingOf({ incoming }: RequestView): IncomingMessage {
  if (incoming === undefined)
    throw new TypeError('a rule with onLimit queue needs `incoming`, the request itself');
  return incoming;
}

function turn(
  rule: CompiledRule,
  request: RateRequest,
  place: ScheduleAnswer,
  { cannotWait = false }: RequestView,
  isUndecided: boolean,
): Turn {
  const { dueMs, nowMs } = place;
  const limit = request.rule.options.burst ?? request.rule.options.limit;
  const later = dueMs !== undefined && dueMs > nowMs ? { dueMs, nowMs } : undefined;
  const allowed = dueMs !== undefined && !(cannotWait && later !== undefined);
  const retryAfterMs = later === undefined || allowed ? place.retryAfterMs : untilNextMs(request, later);
  const decision = { allowed, limit, remaining: 0, resetMs: allowed ? 0 : retryAfterMs, retryAfterMs };
  return { rule, request, decision, later, isUndecided };
}

/** Turns cannot be given back: who was refused one may have the turn after it, by coming then. */
function untilNextMs({ rule, cost }: RateRequest, { dueMs, nowMs }: NonNullable<Turn['later']>): number {
  const { windowMs, limit } = rule.options;
  return elapsedMs(nowMs, dueMs) + Math.ceil((cost * windowMs) / limit);
}
