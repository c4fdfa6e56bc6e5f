import type { GuardOptions } from '../server/index.js';
import { type GatewaySettings, msOf } from './settings/index.js';

/**
 * Requests cost a gateway a tenth of a millisecond, and connections ask again as soon as they are answered: so many in a
 * queue are some 15 ms of work, and not an overload. When the process stood still for 50 ms (a machine with other things
 * to do), those that came meanwhile look as slow as that for a moment; with the guard's own 12 it refused one in a
 * hundred of 32 clients that it had time for.
 */
const LEAST_QUEUED = 128;

/**
 * A gateway often shares its machine with what is behind it. At a target of 10 ms the longest wait is still below the
 * tenth of a second that people notice.
 */
const MOST_SLOWDOWN = 8;

/** What settings say of the guard. */
export function guardOptionsOf({ overload }: GatewaySettings): Partial<GuardOptions> {
  const { mode, concurrency, timeout, maxConnections, headersTimeout, requestTimeout, keepAlive } = overload;
  return {
    mode,
    concurrency,
    queue: { leastRequests: LEAST_QUEUED },
    signals: { mostSlowdown: MOST_SLOWDOWN },
    ...(timeout === undefined ? {} : { timeoutMs: msOf(timeout) }),
    // Requests are sent on with what is known of them at hand: nobody has to be asked whose they are.
    context: 'off',
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
