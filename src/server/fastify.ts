import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { FastifyServerFactory } from 'fastify';
import type { Guard } from './guard.js';

/** What Fastify sets on servers that it makes itself, and kinds of server that it makes. */
interface FastifyOptions {
  readonly keepAliveTimeout?: number;
  readonly requestTimeout?: number;
  readonly connectionTimeout?: number;
  readonly maxRequestsPerSocket?: number;
  readonly http?: object;
  readonly https?: object | null;
  readonly http2?: boolean;
}

/**
 * A guarded server for Fastify: `fastify({ serverFactory: guardFastify(guard) })`, with `https: { key, cert }` one for TLS.
 *
 * Not a plugin: hooks run after routing, when a request has cost most of what `hello world` costs. Here one that is
 * refused never reaches Fastify. Errors, streams and aborts stay Fastify's business.
 */
export function guardFastify(guard: Guard): FastifyServerFactory<Server> {
  return (handler, options) => {
    const { http, https, http2, ...times } = options as FastifyOptions;
    if (http2) throw new Error('a guard is for HTTP/1.1: leave out http2');
    const server = https ? createSecureServer(https, handler) : createServer(http ?? {}, handler);
    // Its default of 72 s is as good as ours.
    if (times.keepAliveTimeout !== undefined) server.keepAliveTimeout = times.keepAliveTimeout;
    if (times.requestTimeout) server.requestTimeout = times.requestTimeout;
    if (times.connectionTimeout) server.setTimeout(times.connectionTimeout);
    if (times.maxRequestsPerSocket) server.maxRequestsPerSocket = times.maxRequestsPerSocket;
    guard.attach(server);
    return server;
  };
}
