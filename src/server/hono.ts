import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Guard } from './guard.js';

/**
 * Guarded servers for Hono's Node adapter: `serve({ fetch: app.fetch, createServer: guardHono(guard) })`.
 *
 * Not a middleware: before the first one runs, the adapter has made a web Request of Node's. Here one that is refused
 * never reaches Hono. Errors, streams and aborts stay Hono's business.
 */
export function guardHono(guard: Guard): (options: ServerOptions, listener: RequestListener) => Server {
  return (options, listener) => {
    const server = createServer(options, listener);
    guard.attach(server);
    return server;
  };
}
