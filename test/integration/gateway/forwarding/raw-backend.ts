import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { readLeniently } from './lenient-reader.js';

/** What a backend says to the n-th request on a connection; it may also write by itself. */
export type RawAnswerer = (request: string, socket: Socket, count: number) => string | Buffer | undefined;

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A backend by hand: takes whatever comes, records each byte, and answers as it is told. */
export class RawBackend {
  /** All that came, by connection. */
  readonly connections: { bytes: string; socket: Socket }[] = [];

  /** When the other end has said its last word, so has this. */
  endsToo = true;

  private constructor(readonly server: Server) {}

  static async start(answer: RawAnswerer = () => OK): Promise<RawBackend> {
    const server = createServer({ allowHalfOpen: true });
    const backend = new RawBackend(server);
    server.on('connection', (socket) => {
      const connection = { bytes: '', socket };
      let answered = 0;
      backend.connections.push(connection);
      socket.on('error', () => {});
      socket.on('end', () => backend.endsToo && socket.end());
      socket.on('data', (chunk) => {
        connection.bytes += chunk.toString('latin1');
        const requests = readLeniently(connection.bytes, 'chunks first');
        while (answered < requests.length) {
          const text = answer(requests[answered]!, socket, answered);
          answered++;
          if (text !== undefined) socket.write(text as string, 'latin1');
        }
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return backend;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get bytes(): string {
    return this.connections.map(({ bytes }) => bytes).join('');
  }

  /** The requests, as backends of different faith would read them. */
  get readings(): string[][] {
    return (['chunks first', 'length first'] as const).map((faith) =>
      this.connections.flatMap(({ bytes }) => readLeniently(bytes, faith)),
    );
  }

  async stop(): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
