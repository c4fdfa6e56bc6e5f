import { NO_DEADLINE } from '../deadline.js';
import { elapsedMs } from '../elapsed.js';
import type { Random } from '../environment.js';
import type { Outcome } from '../outcome.js';
import { decideRetry, MAX_ATTEMPTS, type RetryVerdict } from './decide-retry.js';
import type { OverloadAdvice } from './overload-advice.js';
import { RetryBudget, type RetryBudgetOptions } from './retry-budget.js';

/** The request's budget alone: two retries for each request is what three attempts come to. */
export const NO_CLIENT_BUDGET: Partial<RetryBudgetOptions> = { ratio: MAX_ATTEMPTS - 1 };

/** Attempts are answered at once: in these models only counts matter, no latency. */
export type Send = (attempt: number, now: number) => Outcome;

/** What a client's own caller gets when there is no retry (any more). */
export type GiveUp = (outcome: Outcome, verdict: Exclude<RetryVerdict, 'retry'>) => Outcome;

/** One client of one service, with the decisions that ship. */
export class ModelClient {
  readonly #budget: RetryBudget;
  readonly #send: Send;
  readonly #giveUp: GiveUp;

  constructor(budget: Partial<RetryBudgetOptions>, send: Send, giveUp: GiveUp = (outcome) => outcome) {
    this.#budget = new RetryBudget(budget);
    this.#send = send;
    this.#giveUp = giveUp;
  }

  /** Sends a request until it is answered or not retried. */
  request(now: number): Outcome {
    this.#budget.onRequest(now);
    for (let attempt = 1; ; attempt++) {
      const outcome = this.#send(attempt, now);
      const request = { outcome, attempt, isIdempotent: true, isBodyConsumed: false };
      const verdict = decideRetry({ ...request, deadlineMs: NO_DEADLINE, expectedMs: 1 }, this.#budget, now);
      if (verdict !== 'retry') return this.#giveUp(outcome, verdict);
    }
  }
}

/** Sheds what `isRefused` says, with the error its advice chooses (always "task overloaded" without one). */
export class SheddingBackend {
  arrivals = 0;
  readonly #isRefused: (now: number) => boolean;
  readonly #advice: OverloadAdvice | undefined;

  constructor(isRefused: (now: number) => boolean, advice?: OverloadAdvice) {
    this.#isRefused = isRefused;
    this.#advice = advice;
  }

  receive(attempt: number, now: number): Outcome {
    this.arrivals++;
    this.#advice?.onArrival(attempt, now);
    if (!this.#isRefused(now)) return 'answered';
    return this.#advice?.errorFor(now) ?? 'task-overloaded';
  }
}

/**
 * Refuses what one processor cannot do: more than 50 ms of work waiting. To refuse costs 4 % of what serving costs,
 * and is paid from the same processor: the more is refused, the less is served.
 */
export function oneProcessor(servicePerSecond: number): (now: number) => boolean {
  const serviceMs = 1_000 / servicePerSecond;
  let waitingMs = 0;
  let sinceMs = 0;
  return (now) => {
    waitingMs = Math.max(0, waitingMs - elapsedMs(sinceMs, now));
    sinceMs = now;
    const isRefused = waitingMs > 50;
    waitingMs += isRefused ? serviceMs * 0.04 : serviceMs;
    return isRefused;
  };
}

/** What came of a run: arrivals at the backends for each request, and the share of requests that was served. */
export interface Run {
  readonly growth: number;
  readonly served: number;
}

/** Requests at even intervals, each from a random client to a random backend at every attempt. */
export function runService(model: {
  readonly clients: number;
  readonly budget: Partial<RetryBudgetOptions>;
  readonly backends: readonly SheddingBackend[];
  readonly requestsPerSecond: number;
  readonly seconds: number;
  readonly random: Random;
}): Run {
  const { backends, random, requestsPerSecond } = model;
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
  const send: Send = (attempt, now) => pick(backends).receive(attempt, now);
  const clients = Array.from({ length: model.clients }, () => new ModelClient(model.budget, send));
  const requests = requestsPerSecond * model.seconds;
  let served = 0;
  for (let index = 0; index < requests; index++) {
    const now = (index * 1_000) / requestsPerSecond;
    if (pick(clients).request(now) === 'answered') served++;
  }
  const arrivals = backends.reduce((sum, backend) => sum + backend.arrivals, 0);
  return { growth: arrivals / requests, served: served / requests };
}
