import type { RateDecision } from '../../core/index.js';
import type { GatewayEvent } from '../gateway-events.js';
import type { AdminFurther } from './further.js';

/** Whether new requests should come here. */
export interface Readiness {
  readonly isReady: boolean;
  /** Why not: `starting`, `lame-duck`, `draining`; or a sentence. Undefined when it is ready. */
  readonly reason: string | undefined;
}

/** What a limit would say of the next request with a key. */
export interface LimitState {
  readonly rule: string;
  readonly key: string;
  /**
   * Whether one more of cost 1 would pass; how many are left; when to come again. Undefined for limits that let requests
   * wait for their turn: how many do is in the queue.
   */
  readonly decision: RateDecision | undefined;
}

/** Thrown by a target that has nothing of the kind; the message says so to whoever asked. */
export class NothingThereError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NothingThereError';
  }
}

/**
 * What an admin port is for: one gateway, or all workers of one. Everything is plain data that can go from process to
 * process. Promises reject with an Error whose message may be shown to whoever asked: no secrets in it.
 */
export interface AdminTarget {
  /** What it does and why. */
  snapshot(): Promise<object>;
  /** Metrics as Prometheus reads them (text format 0.0.4). */
  metrics(): Promise<string>;
  /** At once, and without asking anybody: probes ask often, and when everything else is slow. */
  readiness(): Readiness;
  /** Settings that hold, as a file, without secrets. */
  config(): Promise<string>;
  /** Resolves when it is lame duck: requests are served on, clients are told to go elsewhere. */
  lameDuck(): Promise<void>;
  /** Resolves when draining has begun. The process ends by itself when it is done. */
  drain(): Promise<void>;
  /** Reads the settings anew, with all files they name. Rejects with what is wrong with them; then nothing has changed. */
  reload(): Promise<void>;
  /** Undefined: there is no such limit. */
  limit(rule: string, key: string): Promise<LimitState | undefined>;
  /** As if this key had never come. False: there is no such limit. */
  resetLimit(rule: string, key: string): Promise<boolean>;
  /** What waits for its turn: requests over a limit, dead letters, batches. */
  queue(): Promise<object>;
  /** Everything that happens from now on, until the returned function is called. */
  onEvent(listener: (event: GatewayEvent) => void): () => void;
  /** What somebody else has to show and to switch on the same port. */
  readonly further?: AdminFurther;
}
