import { createServer, type Server } from 'node:http';
import type { FastifyServerFactory } from 'fastify';
import type { Guard } from './guard.js';

/**
 * A guarded server for Fastify: `fastify({ serverFactory: guardFastify(guard) })`.
 *
 * Not a plugin: hooks run after routing, when a request has cost most of what `hello world` costs. Here one that is
 * refused never reaches Fastify. Errors, streams and aborts stay Fastify's business.
 */
export function guardFastify(guard: Guard): FastifyServerFactory<Server> {
  return (handler, options) => {
    const { keepAliveTimeout, requestTimeout, http } = options as {
      keepAliveTimeout?: number;
      requestTimeout?: number;
      http?: object;
    };
    const server = createServer(http ?? {}, handler);
    // Fastify sets these on servers that it makes itself. Its default of 72 s is as good as ours.
    if (keepAliveTimeout !== undefined) server.keepAliveTimeout = keepAliveTimeout;
    if (requestTimeout !== undefined && requestTimeout > 0) server.requestTimeout = requestTimeout;
    guard.attach(server);
    return server;
  };
}
