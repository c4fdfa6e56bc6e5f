import type { Server } from 'node:http';
import { checkInteger, checkPositive, withDefaults } from '../../core/check.js';

/** Bounds of connections and of single requests. */
export interface ServerLimits {
  /** More than this are closed as they come. */
  readonly maxConnections: number;
  /** All headers of a request have to be there after this time. */
  readonly headersTimeoutMs: number;
  /** And the whole request, its body included, after this. An answer of which a client takes nothing for so long is over. */
  readonly requestTimeoutMs: number;
  /** An idle connection is kept for so long. */
  readonly keepAliveTimeoutMs: number;
  /** Requests have no more headers than this; what is beyond is not looked at. */
  readonly maxHeaders: number;
  /** A longer body is answered with 413; Infinity: any. */
  readonly maxBodyBytes: number;
}

export const SERVER_LIMITS_DEFAULTS: ServerLimits = Object.freeze({
  // Some 10 KB each: 200 MB. A hundred clients with a hundred connections each are half of that.
  maxConnections: 20_000,
  // Headers are sent in one go. Node's 60 s let a client that sends a byte now and then hold a connection for a minute.
  headersTimeoutMs: 15_000,
  // Node's own: uploads take their time.
  requestTimeoutMs: 300_000,
  // Longer than any client keeps one (ours: 60 s, AWS and nginx likewise): then it is always the client that closes, and
  // no request meets a connection that is being closed. Node's 5 s make that race likely.
  keepAliveTimeoutMs: 75_000,
  // Node's is 2000. Apache allows 100; with cookies, proxies and tracing 40 are common.
  maxHeaders: 200,
  // Nothing of it is kept by us, so this bounds time and disks rather than memory.
  maxBodyBytes: 104_857_600,
});

export function checkLimits(given: Partial<ServerLimits> | undefined): ServerLimits {
  const limits = withDefaults('limits', SERVER_LIMITS_DEFAULTS, given);
  checkInteger('maxConnections', limits.maxConnections, 1);
  checkPositive('headersTimeoutMs', limits.headersTimeoutMs);
  checkPositive('requestTimeoutMs', limits.requestTimeoutMs);
  checkPositive('keepAliveTimeoutMs', limits.keepAliveTimeoutMs);
  checkInteger('maxHeaders', limits.maxHeaders, 1);
  if (limits.maxBodyBytes !== Number.POSITIVE_INFINITY) checkInteger('maxBodyBytes', limits.maxBodyBytes, 0);
  return limits;
}

/** Node's own defaults: whoever has set something else has meant it. */
const NODE = {
  headersTimeout: 60_000,
  keepAliveTimeout: 5_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 30_000,
} as const;

/**
 * Sets what the user has not. Returns for how long the guard keeps idle connections itself; 0: that is Node's.
 *
 * Node sets a timer anew with each answer and takes it back with each request, 1 µs of 16; to look at all connections
 * once a second costs nothing.
 */
export function applyLimits(server: Server, limits: ServerLimits, canTimeIdle: boolean): number {
  if (server.headersTimeout === NODE.headersTimeout) server.headersTimeout = limits.headersTimeoutMs;
  if (server.requestTimeout === NODE.requestTimeout) server.requestTimeout = limits.requestTimeoutMs;
  const isIdleOurs = canTimeIdle && isUnset(server.keepAliveTimeout);
  if (isUnset(server.keepAliveTimeout)) server.keepAliveTimeout = canTimeIdle ? 0 : limits.keepAliveTimeoutMs;
  // How often Node looks for those that are late: with its own, 15 s for headers would be up to 45.
  const checked = server as { connectionsCheckingInterval?: number };
  const isTimed = server.headersTimeout > 0;
  if (isTimed && checked.connectionsCheckingInterval === NODE.connectionsCheckingInterval) {
    checked.connectionsCheckingInterval = Math.min(
      checked.connectionsCheckingInterval,
      server.headersTimeout / 3,
    );
  }
  server.maxConnections ??= limits.maxConnections;
  server.maxHeadersCount ??= limits.maxHeaders;
  return isIdleOurs ? limits.keepAliveTimeoutMs : 0;
}

/** 65 s on newer Nodes. */
function isUnset(keepAliveTimeout: number): boolean {
  return keepAliveTimeout === NODE.keepAliveTimeout || keepAliveTimeout === 65_000;
}
