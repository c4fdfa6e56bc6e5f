import { elapsedMs } from '../../core/index.js';
import type { Connection } from './connection.js';

/** All are looked at so often; how long each was idle is known to within that. */
const LOOK_MS = 1_000;

/** So much longer than clients are told: theirs is counted from when the answer arrives, and neither clock is exact. */
const GRACE_MS = 2_000;

/** Closes connections on which nothing was asked for too long, and those whose clients do not take what they asked for. */
export class IdleConnections {
  readonly #connections: ReadonlySet<Connection>;
  readonly #mostStalledMs: number;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(connections: ReadonlySet<Connection>, mostStalledMs: number) {
    this.#connections = connections;
    this.#mostStalledMs = mostStalledMs;
  }

  look(now: number): void {
    if (elapsedMs(this.#lookedMs, now) < LOOK_MS) return;
    this.#lookedMs = now;
    for (const connection of this.#connections) {
      if (!connection.isOursToKeep) continue;
      if (connection.isAnswering) {
        connection.quietSinceMs = now;
        // Whoever reads nothing keeps a place here, and whoever writes the answer from going on, for as long as it likes.
        if (connection.stalledMs(now) >= this.#mostStalledMs) connection.socket.destroy();
      } else if (elapsedMs(connection.quietSinceMs, now) >= connection.idleMs + GRACE_MS)
        connection.socket.destroy();
    }
  }
}
