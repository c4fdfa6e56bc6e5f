import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { checkNonNegative, withDefaults } from '../../core/check.js';
import { elapsedMs } from '../../core/index.js';
import type { Guest } from '../guest.js';

/** How long an end may take. */
export interface DrainOptions {
  /** So long at the most, all in all. */
  readonly timeoutMs: number;
  /** So long requests are served as ever, until all clients have heard. */
  readonly spreadMs: number;
}

export const DRAIN_DEFAULTS: DrainOptions = Object.freeze({
  // Kubernetes kills after 30 s by default, counted from before the signal: what is left over is for the end itself.
  timeoutMs: 25_000,
  // Clients that hear nothing by UDP hear with their next answer or health check, or from the endpoint list: a second
  // or two.
  spreadMs: 3_000,
});

/** Checked before anything is done: a drain that fails half way could not be begun again. */
export function checkDrainOptions(given?: Partial<DrainOptions>): DrainOptions {
  const options = withDefaults('drain', DRAIN_DEFAULTS, given);
  checkNonNegative('timeoutMs', options.timeoutMs);
  checkNonNegative('spreadMs', options.spreadMs);
  return options;
}

export interface DrainParts {
  readonly servers: Iterable<Server>;
  readonly guests: Iterable<Guest>;
  /** Requests that are waiting or running. */
  readonly active: () => number;
  /** Connections that are open. */
  readonly connections: () => number;
  /** No new connections are taken any more. */
  readonly onStopped: () => void;
  /** The time is over: sends away who waits, and answers for those that still run. */
  readonly cutOff: () => void;
  readonly closeAll: () => void;
}

/** How often it is looked whether all is over: the end of a process may take so much longer. */
const LOOK_MS = 20;

/** An answer that was just written gets so long to leave the machine. */
const FLUSH_MS = 200;

/**
 * Ends a server so that no request is lost: clients have been told already. Keeps serving while word spreads, then takes
 * no new connections, and waits until the clients have let go of theirs. Idle ones are not closed before the end: a
 * request might be on its way on any of them, and would meet a reset (Node issue 60617).
 */
export async function drain(
  parts: DrainParts,
  { timeoutMs, spreadMs: wantedMs }: DrainOptions,
): Promise<void> {
  const spreadMs = Math.min(wantedMs, timeoutMs);
  const startedMs = performance.now();
  const leftMs = () => timeoutMs - elapsedMs(startedMs, performance.now());
  await until(() => false, spreadMs);
  const servers = [...parts.servers];
  const guests = [...parts.guests];
  for (const server of servers) stopListening(server);
  for (const guest of guests) guest.stop();
  parts.onStopped();
  await until(() => parts.active() === 0 && parts.connections() === 0, leftMs());
  parts.cutOff();
  if (parts.connections() > 0) await until(() => parts.connections() === 0, FLUSH_MS);
  for (const server of servers) server.closeAllConnections();
  for (const guest of guests) guest.close();
  // Also those that speak another protocol by now, of which the server knows nothing.
  parts.closeAll();
}

/** Only that: `http.Server.close` would close idle connections too. */
function stopListening(server: Server): void {
  if (server.listening) NetServer.prototype.close.call(server as unknown as NetServer);
}

/** Resolves as soon as it holds, or when the time is over. */
function until(holds: () => boolean, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    const look = () => {
      if (holds() || elapsedMs(startedMs, performance.now()) >= timeoutMs) {
        clearInterval(timer);
        resolve();
      }
    };
    // Not unref'd: while a server drains, the process has something to do.
    const timer = setInterval(look, LOOK_MS);
    look();
  });
}
