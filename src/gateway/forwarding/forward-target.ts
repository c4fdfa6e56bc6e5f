import type { CallOptions, Client } from '../../client/index.js';
import type { RejectedError } from '../../core/index.js';
import type { HeaderEdits } from './header-edits.js';

/** Where a request goes, and how. One object may serve all requests of a route. */
export interface ForwardTarget
  extends Pick<CallOptions, 'criticality' | 'customer' | 'timeoutMs' | 'idempotent'> {
  readonly client: Client;
  /** Path and query to ask for; default: those of the request. */
  readonly path?: string | undefined;
  /** `Host` to send: the backend's own name, the one that was asked for, or this one. */
  readonly host: 'backend' | 'request' | (string & {});
  /** Longer bodies are answered with 413. */
  readonly maxBodyBytes?: number | undefined;
  /** Who asks, by whoever knows which proxies to believe; default: the address of the connection. */
  readonly clientAddress?: string | undefined;
  readonly protocol: 'http' | 'https';
  readonly requestHeaders?: HeaderEdits | undefined;
  readonly answerHeaders?: HeaderEdits | undefined;
  readonly sender?: Sender | undefined;
}

export interface Sender {
  /** It was not sent, or nobody took it. */
  onRejected(error: RejectedError): void;
  /** Asked before a 502, 503 or 504 of ours: true when it was answered with something better. */
  answersInstead(): boolean;
}
