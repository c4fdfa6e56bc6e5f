import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GREETING_PATH } from '../load/requests.js';
import type { Handler } from './handlers.js';

export const BODY = 'hello world';

/** What users of node:http write. */
export function respondWith(handler: Handler): RequestListener {
  return (request, response) => {
    if (request.url === GREETING_PATH) {
      response.end(BODY);
      return;
    }
    const done = handler();
    if (done === undefined) response.end(BODY);
    else done.then(() => response.end(BODY));
  };
}

/** Longer than any idle time here, and what a guard sets by itself. */
const KEEP_ALIVE_MS = 75_000;

export async function listen(server: Server, isGuarded = false): Promise<number> {
  if (!isGuarded) server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export function listenBare(handler: Handler): Promise<number> {
  return listen(createServer(respondWith(handler)));
}
