import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListenError, type ListeningAt } from '../listeners.js';
import { describeAddress, isLoopback, parseAddress } from '../settings/index.js';
import { AdminAccess } from './access.js';
import { AdminRoutes } from './admin-routes.js';
import { type AdminTarget, NothingThereError } from './admin-target.js';
import { type AdminAnswer, hasBody, problem, send } from './answers.js';
import { DashboardFiles } from './dashboard-files.js';
import { EventReaders } from './event-readers.js';
import { wholeSnapshot } from './further.js';

/**
 * Readers of events (MOST_READERS), as many who ask: a page that comes takes a handful for its files. Each has 10 to
 * 20 KB.
 */
const MOST_CONNECTIONS = 256;
/** A token, a path and what browsers add. */
const MOST_HEADER_BYTES = 8_192;
/** Headers come in one go. */
const HEADERS_TIMEOUT_MS = 5_000;
/** Nothing that is asked here has a body. */
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;
/** Longer than workers are waited for; whoever asks has given up by then. */
const ANSWER_TIMEOUT_MS = 10_000;

export interface AdminOptions {
  /** As settings have it. */
  readonly address: string;
  /** Asked for each request: it may change. Undefined: there is none. */
  readonly token: () => string | undefined;
  readonly onError: (error: unknown) => void;
  /** Where the page is, if not where a build puts it. */
  readonly dashboard?: URL | undefined;
}

/**
 * The admin port. It has bounds of its own and is behind no guard: it is there for when there is too much to do. It
 * keeps no process alive.
 */
export class AdminServer {
  readonly #options: AdminOptions;
  readonly #access: AdminAccess;
  readonly #routes: AdminRoutes;
  readonly #readers: EventReaders;
  readonly #server: Server;
  #closing: Promise<void> | undefined = undefined;

  constructor(target: AdminTarget, options: AdminOptions) {
    this.#options = options;
    this.#access = new AdminAccess(options.token);
    this.#routes = new AdminRoutes(target, new DashboardFiles(options.dashboard));
    this.#readers = new EventReaders({
      snapshot: () => wholeSnapshot(target),
      onEvent: (listener) => target.onEvent(listener),
    });
    this.#server = createServer(
      {
        maxHeaderSize: MOST_HEADER_BYTES,
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: 1_000,
      },
      (req, res) => this.#handle(req, res),
    );
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  /** Rejects with what is wrong in one line. */
  async listen(): Promise<ListeningAt> {
    const { host, port } = parseAddress(this.#options.address);
    if (!isLoopback({ host, port }) && this.#options.token() === undefined)
      throw new RangeError(
        `admin needs a token where others can reach it: set admin.token, or listen on 127.0.0.1, got ${this.#options.address}`,
      );
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(new ListenError(describeAddress({ host, port }), error)));
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
    });
    this.#server.removeAllListeners('error');
    // What a server says later is of connections that could not be taken: there are others.
    this.#server.on('error', () => {});
    this.#server.unref();
    const { port: bound } = this.#server.address() as AddressInfo;
    return { address: describeAddress({ host, port: bound }), port: bound, protocol: 'http' };
  }

  /** Ends all connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#readers.close();
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Readers have been told that it is over; what is under way here takes milliseconds.
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), 100);
    await closed;
    clearTimeout(timer);
  }

  #handle(req: IncomingMessage, res: ServerResponse): void {
    res.on('error', () => {});
    this.#answer(req, res).then(
      (answer) => {
        if (answer !== undefined) send(req, res, answer);
      },
      (error: unknown) => {
        if (error instanceof NothingThereError) {
          send(req, res, problem(404, error.message));
          return;
        }
        this.#options.onError(error);
        send(req, res, problem(500, 'it could not be answered: the reason is in the log'));
      },
    );
  }

  /** Undefined: it is being answered. */
  async #answer(req: IncomingMessage, res: ServerResponse): Promise<AdminAnswer | undefined> {
    const { method = 'GET', url = '/', headers } = req;
    const route = this.#routes.find(method, url, headers);
    const refusal = this.#refusalOf(method, headers, 'access' in route ? route.access : undefined);
    if (refusal !== undefined) return refusal;
    if ('answer' in route) return route.answer;
    if (hasBody(req)) return problem(413, 'nothing here takes a body');
    if (route.act !== 'stream') return await within(ANSWER_TIMEOUT_MS, route.act());
    if (method === 'HEAD') return { status: 200, type: 'text/event-stream', body: '' };
    return this.#readers.add(req, res, route.query.get('snapshots') !== 'false');
  }

  #refusalOf(
    method: string,
    headers: IncomingHttpHeaders,
    access: 'anybody' | 'page' | undefined,
  ): AdminAnswer | undefined {
    if (access === 'anybody') return undefined;
    if (access === 'page') return this.#access.pageRefusalOf(headers.host);
    return this.#access.refusalOf({
      host: headers.host,
      authorization: headers.authorization,
      origin: headers.origin,
      fetchSite: one(headers['sec-fetch-site']),
      marker: one(headers['x-plimsoll-admin']),
      isChange: method !== 'GET' && method !== 'HEAD',
    });
  }
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** What is not answered in time is not answered: whoever has given up must not hold a connection. */
async function within(ms: number, work: AdminAnswer | Promise<AdminAnswer>): Promise<AdminAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<AdminAnswer>((resolve) => {
    timer = setTimeout(() => resolve(problem(503, `there was no answer within ${ms / 1_000} s`)), ms).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
