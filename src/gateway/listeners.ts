import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Guard } from '../server/index.js';
import type { ServerLimits } from '../server/intake/server-limits.js';
import type { Certificates } from './certificates.js';
import { guardOptionsOf } from './guard-settings.js';
import { ALPN, divert, Http2Acceptor, http2Limits } from './http2/index.js';
import { describeAddress, type GatewaySettings, type Listener, parseAddress } from './settings/index.js';

/** Linux' own bound since 5.4; Node's 511 is full after a burst of half a thousand clients. */
const BACKLOG = 4_096;

export interface ListenerHandlers {
  readonly request: (req: IncomingMessage, res: ServerResponse) => void;
  readonly upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** A connection was one too many, and is closed. */
  readonly connectionRefused: () => void;
}

/** How long clients may take, as for the guard. */
export type ListenerLimits = Pick<
  ServerLimits,
  'headersTimeoutMs' | 'requestTimeoutMs' | 'keepAliveTimeoutMs'
>;

/** Where a gateway listens, as it turned out. */
export interface ListeningAt {
  readonly address: string;
  readonly port: number;
  readonly protocol: 'http' | 'https';
}

/** Why an address cannot be listened on, in one line. */
export class ListenError extends Error {
  constructor(address: string, cause: NodeJS.ErrnoException) {
    super(`cannot listen on ${address}: ${reasonOf(cause)}`, { cause });
    this.name = 'ListenError';
  }
}

/** The servers of a gateway. */
export class Listeners {
  readonly #listen: readonly Listener[];
  readonly #servers: readonly (Server | TlsServer)[];
  /** One for all of them; undefined where nobody speaks it. */
  readonly #http2: Http2Acceptor | undefined;

  constructor(
    settings: GatewaySettings,
    certificates: readonly Certificates[],
    guard: Guard,
    handlers: ListenerHandlers,
  ) {
    const { listen } = settings;
    const limits = guardOptionsOf(settings).limits as ListenerLimits;
    this.#listen = listen;
    const handler = guard.protect(handlers.request);
    this.#http2 = listen.some(({ http2 }) => http2) ? acceptorOf(guard, handler, limits) : undefined;
    this.#servers = listen.map(({ tls, http2 }, at) => {
      const server =
        tls === undefined ? createServer() : createTlsServer(tlsOptions(tls, certificates[at], http2));
      if (http2)
        divert(server, tls !== undefined, limits.headersTimeoutMs, (socket) => {
          guard.watch(socket);
          this.#http2?.accept(socket);
        });
      server.on('request', handler);
      server.on('checkContinue', handler);
      server.on('upgrade', handlers.upgrade);
      guard.attach(server);
      server.on('connection', endBroken);
      server.on('drop', handlers.connectionRefused);
      return server;
    });
  }

  /** Rejects with what is wrong in one line; then nothing listens. */
  async open(): Promise<ListeningAt[]> {
    const opened: ListeningAt[] = [];
    try {
      for (const [at, server] of this.#servers.entries())
        opened.push(await openOne(server, this.#listen[at]!));
    } catch (error) {
      this.close();
      throw error;
    }
    return opened;
  }

  /** For handshakes from now on. */
  renew(certificates: readonly Certificates[]): void {
    for (const [at, options] of certificates.entries()) {
      if (options !== undefined) (this.#servers[at] as TlsServer).setSecureContext(options);
    }
  }

  /** Takes no new connections; those that are open are the guard's. */
  close(): void {
    for (const server of this.#servers) if (server.listening) server.close();
    this.#http2?.close();
  }
}

/** Who has no address has reset the connection already: no answer can reach it, and what it sent is not worth the work. */
function endBroken(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
}

function acceptorOf(
  guard: Guard,
  handler: ReturnType<Guard['protect']>,
  { requestTimeoutMs, keepAliveTimeoutMs }: ListenerLimits,
): Http2Acceptor {
  const acceptor = new Http2Acceptor({
    limits: http2Limits({ quietMs: requestTimeoutMs, idleMs: keepAliveTimeoutMs }),
    onStream: (req, res) => handler(req, res as unknown as ServerResponse),
    isLeaving: () => guard.state === 'lame-duck' || guard.state === 'closed',
  });
  guard.onStateChange((state) => {
    if (state === 'lame-duck') acceptor.leave();
  });
  return acceptor;
}

function tlsOptions(
  { clientCa, clientCert }: NonNullable<Listener['tls']>,
  certificates: Certificates,
  http2: boolean,
) {
  const asks = clientCa !== undefined;
  return {
    ...certificates,
    requestCert: asks,
    rejectUnauthorized: asks && clientCert === 'required',
    ...(http2 ? { ALPNProtocols: [...ALPN] } : {}),
  };
}

function openOne(server: Server, { address, tls }: Listener): Promise<ListeningAt> {
  const { host, port } = parseAddress(address);
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new ListenError(describeAddress({ host, port }), error));
    server.once('error', fail);
    server.listen({ port, backlog: BACKLOG, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', fail);
      // What a server says later is of connections that could not be taken: there are others.
      server.on('error', () => {});
      const { port: bound } = server.address() as AddressInfo;
      resolve({
        address: describeAddress({ host, port: bound }),
        port: bound,
        protocol: tls === undefined ? 'http' : 'https',
      });
    });
  });
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'another program listens there';
    case 'EACCES':
      return 'this user may not (ports below 1024 are for root)';
    case 'EADDRNOTAVAIL':
      return 'this machine has no such address';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'this name is not known';
    default:
      return message;
  }
}
