import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { checkInteger, checkNonNegative, checkOneOf, checkPositive, withDefaults } from '../../core/check.js';
import { type BackoffOptions, checkBackoffOptions } from './backoff.js';

/** How connections to backends are opened, kept and given up. */
export interface ConnectionOptions {
  /** Connections to one backend, at most; requests beyond wait for one. Infinity: as many as requests are active. */
  readonly perBackend: number;
  /** How long to wait for a connection. */
  readonly connectTimeoutMs: number;
  /** For how long a connection without requests is kept, at most; less when the server says so. */
  readonly idleMs: number;
  /** How long to wait for the headers of an answer; 0 = for ever. */
  readonly headersTimeoutMs: number;
  /** How long an answer may pause on its way; 0 = for ever. */
  readonly bodyTimeoutMs: number;
  /** A backend that got no request for so long is only asked how it is, and more rarely with time. */
  readonly inactiveMs: number;
  /**
   * `true`: HTTP/2 where a TLS server offers it; see docs/client.md for what it cannot promise. `required`: HTTP/2 and
   * nothing else, without TLS too, with many requests at once on a connection: for backends that speak gRPC.
   */
  readonly http2: boolean | 'required';
  /** As for `tls.connect`. */
  readonly tls: TlsOptions;
  /** How long to wait after a connection that failed. */
  readonly backoff: Partial<BackoffOptions>;
}

export const CONNECTION_DEFAULTS: ConnectionOptions = Object.freeze({
  // Flow control bounds it already, at 100 active requests.
  perBackend: Number.POSITIVE_INFINITY,
  // Three SYNs are sent in the first 3 s; what is not answered in 2, the second included, is better asked elsewhere.
  connectTimeoutMs: 2_000,
  // Our servers keep them for 75 s: the client is always the first to let go, or its request would meet a closing door.
  idleMs: 60_000,
  // Undici's.
  headersTimeoutMs: 300_000,
  bodyTimeoutMs: 300_000,
  // As long as connections are kept: what is left of an idle one then are health checks.
  inactiveMs: 60_000,
  http2: false,
  tls: Object.freeze({}),
  backoff: Object.freeze({}),
});

export function checkConnectionOptions(given: Partial<ConnectionOptions> | undefined): ConnectionOptions {
  const options = withDefaults('connections', CONNECTION_DEFAULTS, given);
  if (options.perBackend !== Number.POSITIVE_INFINITY) checkInteger('perBackend', options.perBackend, 1);
  if (typeof options.http2 !== 'boolean') checkOneOf('http2', options.http2, ['required']);
  checkPositive('connectTimeoutMs', options.connectTimeoutMs);
  checkPositive('idleMs', options.idleMs);
  checkNonNegative('headersTimeoutMs', options.headersTimeoutMs);
  checkNonNegative('bodyTimeoutMs', options.bodyTimeoutMs);
  checkPositive('inactiveMs', options.inactiveMs);
  // Now, and not when the first backend is found: then there is nobody to tell.
  checkBackoffOptions(options.backoff);
  return options;
}
