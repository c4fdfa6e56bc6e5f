import type { GuardOptions } from '../server/index.js';
import { type GatewaySettings, msOf } from './settings/index.js';

/** What settings say of the guard. */
export function guardOptionsOf({ overload }: GatewaySettings): Partial<GuardOptions> {
  const { mode, concurrency, timeout, maxConnections, headersTimeout, requestTimeout, keepAlive } = overload;
  return {
    mode,
    concurrency,
    ...(timeout === undefined ? {} : { timeoutMs: msOf(timeout) }),
    // Its pages are for the services behind it; its own are on the admin port.
    health: false,
    limits: {
      maxConnections,
      headersTimeoutMs: msOf(headersTimeout),
      requestTimeoutMs: msOf(requestTimeout),
      keepAliveTimeoutMs: msOf(keepAlive),
      // Each route has its own.
      maxBodyBytes: Number.POSITIVE_INFINITY,
    },
  };
}
