import type { ConnectionState, Criticality, Outcome } from '../../core/index.js';
import type { Attempt } from '../dispatch/attempt.js';
import type { Exchange } from '../dispatch/exchange.js';

/** A request, of whatever protocol, as those need it who look on. */
export interface ObservedRequest {
  readonly criticality: Criticality;
  readonly startedMs: number;
}

/** One sending of it. */
export interface ObservedAttempt {
  /** Where to, as far as that is known. */
  readonly backend: string;
  readonly sentMs: number;
  /** Of its answer, in the numbers of its protocol, once there is one. */
  readonly status: number | undefined;
}

/** Whoever wants to see what a client does. Each is told what has been decided; none decides anything. */
export interface ClientObserver<R = Exchange, A = Attempt, H = string[]> {
  /** An attempt is about to be sent, number `count` of its request; its headers may be added to. */
  onAttempt(request: R, attempt: A, count: number, headers: H): void;
  /** How it ended. */
  onOutcome(request: R, attempt: A, outcome: Outcome, now: number): void;
  /** The request is over: answered, or failed with this. */
  onEnd(request: R, error: unknown, now: number): void;
  onBackendState(key: string, state: ConnectionState): void;
  onResolverError(error: Error): void;
}
