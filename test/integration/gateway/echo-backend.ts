import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What came to a backend. */
export interface Echo {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers with what it was asked, and remembers it. */
export class EchoBackend {
  readonly name: string;
  readonly seen: Echo[] = [];
  readonly #server: Server;
  /** What it does instead. */
  handler: ((req: IncomingMessage, res: ServerResponse) => void) | undefined = undefined;

  private constructor(name: string) {
    this.name = name;
    this.#server = createServer((req, res) => this.#echo(req, res));
  }

  static async start(name = 'backend'): Promise<EchoBackend> {
    const made = new EchoBackend(name);
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get server(): Server {
    return this.#server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #echo(req: IncomingMessage, res: ServerResponse): void {
    if (this.handler !== undefined && req.url?.startsWith('/plimsoll/') === false) {
      this.handler(req, res);
      return;
    }
    // Whether it is well is asked by clients, too.
    if (req.url?.startsWith('/plimsoll/') === true) {
      res.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { method = '', url = '', headers } = req;
      const echo = { name: this.name, method, url, headers, body: Buffer.concat(chunks).toString() };
      this.seen.push(echo);
      res.setHeader('content-type', 'application/json').end(JSON.stringify(echo));
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
