import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { CERTIFICATE, KEY } from './certificate.js';

interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly session: number;
}

/** A backend that speaks HTTP/2, and answers `/slow` when it is told to. */
export class Http2Server {
  readonly arrived: Arrived[] = [];
  /** Connections that have been opened. */
  connections = 0;
  /** Headers of every answer. */
  answerHeaders: Record<string, string> = {};
  /** Says GOAWAY on every new connection. */
  isLeaving = false;
  /** Ends every new connection at once, without a word. */
  isBroken = false;
  /** Says GOAWAY on a connection after so many answers. */
  recycleAfter = Number.POSITIVE_INFINITY;
  readonly #server: Http2SecureServer;
  #sessionCount = 0;
  #port = 0;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #waiting = new Set<() => void>();

  private constructor() {
    this.#server = createSecureServer({ key: KEY, cert: CERTIFICATE });
    this.#server.on('connection', (socket: Socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('secureConnection', (socket: Socket) => {
      if (this.isBroken) socket.destroy();
    });
    this.#server.on('session', (session) => {
      const number = ++this.#sessionCount;
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
      session.on('error', () => {});
      if (this.isLeaving) session.goaway(0);
      let answers = 0;
      session.on('stream', (stream, headers) => {
        stream.on('close', () => ++answers >= this.recycleAfter && !session.closed && session.goaway(0));
        const { ':method': method = '', ':path': path = '' } = headers;
        this.arrived.push({ method, path, headers, session: number });
        stream.on('error', () => {});
        const answer = () => {
          if (stream.destroyed) return;
          stream.respond({ ':status': 200, ...this.answerHeaders });
          stream.end(`by connection ${number}`);
        };
        if (path === '/slow') this.#waiting.add(answer);
        else answer();
      });
    });
  }

  static async start(): Promise<Http2Server> {
    const made = new Http2Server();
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    made.#port = (made.#server.address() as AddressInfo).port;
    return made;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** Requests that have arrived, by what they are for. */
  count(method: string, path: string): number {
    return this.arrived.filter((each) => each.method === method && each.path === path).length;
  }

  /** Answers what waits, and whatever comes from now on at once. */
  answerSlow(): void {
    for (const answer of this.#waiting) answer();
    this.#waiting.clear();
  }

  /** Says on every connection that it takes nothing new there; without an error what runs may end: RFC 9113, 6.8. */
  goAway(code = 0): void {
    for (const session of this.#sessions) session.goaway(code);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
