import { createServer } from 'node:http';
import type { Guard } from './guard.js';

/**
 * Guarded servers for Hono's Node adapter: `serve({ fetch: app.fetch, createServer: guardHono(guard) })`.
 *
 * Not a middleware: before the first one runs, the adapter has made a web Request of Node's. Here one that is refused
 * never reaches Hono. Errors, streams and aborts stay Hono's business. For TLS: `guardHono(guard, https.createServer)`.
 */
export function guardHono(guard: Guard, create: typeof createServer = createServer): typeof createServer {
  const guarded = (...args: Parameters<typeof createServer>) => {
    const server = create(...args);
    guard.attach(server);
    return server;
  };
  return guarded as typeof createServer;
}
