import type { Door } from './door.js';
import type { Routes } from './intake/routes.js';

/** A server of another protocol whose requests pass the same guard: what happens to it in a drain. */
export interface Guest {
  /** Takes no new connections, and asks clients to let go of those they have. What runs goes on. */
  stop(): void;
  /** Ends whatever is left. */
  close(): void;
}

/** What such a server needs of the guard. */
export interface Host {
  readonly door: Door;
  readonly routes: Routes;
  /** Whether to refuse by means that are not documented, where they prove to be as expected. */
  readonly mayRefuseEarly: boolean;
  readonly onError: (error: unknown) => void;
}
