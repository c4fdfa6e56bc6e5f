import { createServer } from 'node:http';
import { createGuard, type Guard, type GuardOptions } from 'plimsoll/server';
import type { Handler } from './handlers.js';
import { listen, respondWith } from './node-http.js';

let guard: Guard | undefined;

/** What the guard of this process says of itself, if it has one. */
export const guardSnapshot = (): unknown => guard?.snapshot();

export function listenGuarded(handler: Handler, options?: Partial<GuardOptions>): Promise<number> {
  guard = createGuard(options);
  const server = createServer(guard.protect(respondWith(handler)));
  guard.attach(server);
  return listen(server, true);
}

/** Above every threshold, so that nobody is let in. */
const EXHAUSTED = { name: 'exhausted', utilization: () => 10 };

export function listenRefusing(options?: Partial<GuardOptions>): Promise<number> {
  return listenGuarded(() => {}, { ...options, signals: { custom: [EXHAUSTED] } });
}
