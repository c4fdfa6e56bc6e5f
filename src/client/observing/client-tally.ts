import { channel } from 'node:diagnostics_channel';
import {
  type ConnectionState,
  CRITICALITIES,
  elapsedMs,
  LESSONS,
  type Outcome,
  RejectedError,
} from '../../core/index.js';
import type { Attempt } from '../dispatch/attempt.js';
import type { Exchange } from '../dispatch/exchange.js';
import type { ClientObserver } from './observer.js';
import type { AttemptSpans } from './spans.js';

/** For whoever wants to see each one; nothing is made when nobody listens. */
const attemptChannel = channel('plimsoll:client:attempt');
const outcomeChannel = channel('plimsoll:client:outcome');
const endChannel = channel('plimsoll:client:end');
const stateChannel = channel('plimsoll:client:backend-state');
const resolverChannel = channel('plimsoll:client:resolver-error');

const OUTCOMES = Object.keys(LESSONS) as Outcome[];

/** Counts what happens, for snapshots and metrics. */
export class ClientTally implements ClientObserver {
  readonly service: string;
  /** Requests by criticality. */
  readonly requests = zeros(CRITICALITIES);
  /** Attempts by how they ended. */
  readonly outcomes = zeros(OUTCOMES);
  /** Requests that were not sent, or not sent again, by code. */
  readonly rejected: Record<string, number> = {};
  /** Attempts by number: how many were the first, the second … */
  readonly attempts: number[] = [];
  answered = 0;
  failed = 0;
  resolverErrors = 0;
  readonly #spans: AttemptSpans | undefined;

  constructor(service: string, spans: AttemptSpans | undefined) {
    this.service = service;
    this.#spans = spans;
  }

  onAttempt(exchange: Exchange, attempt: Attempt, count: number, headers: string[]): void {
    if (count === 1) this.requests[exchange.criticality]++;
    this.attempts[count - 1] = (this.attempts[count - 1] ?? 0) + 1;
    if (this.#spans?.isOn) this.#spans.start(exchange, attempt, count, headers);
    if (attemptChannel.hasSubscribers)
      attemptChannel.publish({
        service: this.service,
        request: exchange,
        backend: attempt.link.key,
        attempt: count,
      });
  }

  onOutcome(exchange: Exchange, attempt: Attempt, outcome: Outcome, now: number): void {
    this.outcomes[outcome]++;
    if (this.#spans?.isOn) this.#spans.end(attempt, outcome);
    if (outcomeChannel.hasSubscribers) {
      const latencyMs = elapsedMs(attempt.sentMs, now);
      outcomeChannel.publish({
        service: this.service,
        request: exchange,
        backend: attempt.link.key,
        outcome,
        status: attempt.status,
        latencyMs,
      });
    }
  }

  onEnd(exchange: Exchange, error: Error | undefined, now: number): void {
    if (error === undefined) this.answered++;
    else if (error instanceof RejectedError) this.rejected[error.code] = (this.rejected[error.code] ?? 0) + 1;
    else this.failed++;
    if (endChannel.hasSubscribers) {
      const latencyMs = elapsedMs(exchange.startedMs, now);
      endChannel.publish({ service: this.service, request: exchange, error, latencyMs });
    }
  }

  onBackendState(backend: string, state: ConnectionState): void {
    if (stateChannel.hasSubscribers) stateChannel.publish({ service: this.service, backend, state });
  }

  onResolverError(error: Error): void {
    this.resolverErrors++;
    if (resolverChannel.hasSubscribers) resolverChannel.publish({ service: this.service, error });
  }
}

function zeros<K extends string>(names: readonly K[]): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;
}
