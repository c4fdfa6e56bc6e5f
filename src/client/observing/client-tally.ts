import { channel } from 'node:diagnostics_channel';
import {
  type ConnectionState,
  CRITICALITIES,
  type Criticality,
  elapsedMs,
  LESSONS,
  type Outcome,
  RejectedError,
} from '../../core/index.js';
import type { Attempt } from '../dispatch/attempt.js';
import type { Exchange } from '../dispatch/exchange.js';
import type { ClientObserver, ObservedAttempt, ObservedRequest } from './observer.js';
import type { AttemptSpans } from './spans.js';

/** For whoever wants to see each one; nothing is made when nobody listens. */
const attemptChannel = channel('plimsoll:client:attempt');
const outcomeChannel = channel('plimsoll:client:outcome');
const endChannel = channel('plimsoll:client:end');
const stateChannel = channel('plimsoll:client:backend-state');
const resolverChannel = channel('plimsoll:client:resolver-error');

const OUTCOMES = Object.keys(LESSONS) as Outcome[];

/** What was counted, as plain data. */
export interface ClientCounts {
  readonly requests: Readonly<Record<Criticality, number>>;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly rejected: Readonly<Record<string, number>>;
  readonly attempts: readonly number[];
  readonly answered: number;
  readonly failed: number;
}

/** Counts what happens, for snapshots and metrics. */
export class ClientTally<
  R extends ObservedRequest = Exchange,
  A extends ObservedAttempt = Attempt,
  H = string[],
> implements ClientObserver<R, A, H>
{
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
  readonly #spans: AttemptSpans<R, A, H> | undefined;

  constructor(service: string, spans: AttemptSpans<R, A, H> | undefined) {
    this.service = service;
    this.#spans = spans;
  }

  /** As it is now; nothing changes it afterwards. */
  counts(): ClientCounts {
    const { requests, outcomes, rejected, attempts, answered, failed } = this;
    return {
      requests: { ...requests },
      outcomes: { ...outcomes },
      rejected: { ...rejected },
      attempts: [...attempts],
      answered,
      failed,
    };
  }

  onAttempt(request: R, attempt: A, count: number, headers: H): void {
    if (count === 1) this.requests[request.criticality]++;
    this.attempts[count - 1] = (this.attempts[count - 1] ?? 0) + 1;
    if (this.#spans?.isOn) this.#spans.start(request, attempt, count, headers);
    if (attemptChannel.hasSubscribers)
      attemptChannel.publish({
        service: this.service,
        request,
        backend: attempt.backend,
        attempt: count,
      });
  }

  onOutcome(request: R, attempt: A, outcome: Outcome, now: number): void {
    this.outcomes[outcome]++;
    if (this.#spans?.isOn) this.#spans.end(attempt, outcome);
    if (outcomeChannel.hasSubscribers) {
      const latencyMs = elapsedMs(attempt.sentMs, now);
      outcomeChannel.publish({
        service: this.service,
        request,
        backend: attempt.backend,
        outcome,
        status: attempt.status,
        latencyMs,
      });
    }
  }

  onEnd(request: R, error: unknown, now: number): void {
    if (error === undefined) this.answered++;
    else if (error instanceof RejectedError) this.rejected[error.code] = (this.rejected[error.code] ?? 0) + 1;
    else this.failed++;
    if (endChannel.hasSubscribers) {
      const latencyMs = elapsedMs(request.startedMs, now);
      endChannel.publish({ service: this.service, request, error, latencyMs });
    }
  }

  onBackendState(backend: string, state: ConnectionState): void {
    tellBackendState(this.service, backend, state);
  }

  onResolverError(error: Error): void {
    this.resolverErrors++;
    if (resolverChannel.hasSubscribers) resolverChannel.publish({ service: this.service, error });
  }
}

/** For those, too, who know backends and no requests. */
export function tellBackendState(service: string, backend: string, state: ConnectionState): void {
  if (stateChannel.hasSubscribers) stateChannel.publish({ service, backend, state });
}

function zeros<K extends string>(names: readonly K[]): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;
}
