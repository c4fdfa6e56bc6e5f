import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { listen } from './listen.js';

/** They are no dependencies of ours but for this bench, and have no types that matter here. */
// biome-ignore lint/suspicious/noExplicitAny: as above
const peer = (name: string): any =>
  createRequire(process.env['PLIMSOLL_BENCH_PEERS'] ?? import.meta.url)(name);

/** As many as the load has. */
const CONNECTIONS = 64;

export function listenFastProxy(backend: string, withUndici: boolean): Promise<number> {
  const undici = withUndici ? { undici: { connections: CONNECTIONS, pipelining: 1 } } : {};
  const { proxy } = peer('fast-proxy')({ base: backend, ...undici });
  return listen(createServer((req, res) => proxy(req, res, req.url, {})));
}

interface HttpProxy {
  web(req: IncomingMessage, res: ServerResponse): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

export function listenHttpProxy(name: 'http-proxy' | 'http-proxy-3', backend: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const proxy: HttpProxy = peer(name).createProxyServer({ target: backend, agent });
  proxy.on('error', console.error);
  return listen(createServer((req, res) => proxy.web(req, res)));
}

export async function listenFastify(backend: string): Promise<number> {
  const app = peer('fastify')();
  app.register(peer('@fastify/http-proxy'), { upstream: backend });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server.address().port;
}
