import type { ConnectionState, Outcome } from '../../core/index.js';
import type { Attempt } from '../dispatch/attempt.js';
import type { Exchange } from '../dispatch/exchange.js';

/** Whoever wants to see what a client does. Each is told what has been decided; none decides anything. */
export interface ClientObserver {
  /** An attempt is about to be sent, number `count` of its request; its headers may be added to. */
  onAttempt(exchange: Exchange, attempt: Attempt, count: number, headers: string[]): void;
  /** How it ended. */
  onOutcome(exchange: Exchange, attempt: Attempt, outcome: Outcome, now: number): void;
  /** The request is over: answered, or failed with this. */
  onEnd(exchange: Exchange, error: Error | undefined, now: number): void;
  onBackendState(key: string, state: ConnectionState): void;
  onResolverError(error: Error): void;
}
