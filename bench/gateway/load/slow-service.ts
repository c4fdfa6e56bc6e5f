import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface SlowService {
  /** How many it serves at once; the others stand in line. */
  readonly places: number;
  readonly workMs: number;
}

const HEAD_END = '\r\n\r\n';
const SERVED = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nserved';
/** It knows nothing of health and load. */
const UNKNOWN = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';

/**
 * A backend of few places that answers `GET`, one request of a connection after the other. Resolves to where it listens.
 *
 * It lives in the process that asks, and is no server of Node's own: as a process beside it on its core it would take its turn, 120 µs
 * and more for each request, which is 1 % of the time when all places are taken, and what is measured is the slowest 1 %.
 */
export async function serveSlowly({ places, workMs }: SlowService): Promise<number> {
  const line: Socket[] = [];
  let running = 0;
  const answer = (socket: Socket): void => {
    running--;
    socket.write(SERVED);
    next();
  };
  const next = (): void => {
    while (running < places && line.length > 0) {
      running++;
      setTimeout(answer, workMs, line.shift()!);
    }
  };
  const server = createServer({ noDelay: true }, (socket) => {
    let head = '';
    socket.setEncoding('latin1');
    // Whoever asked may be gone.
    socket.on('error', () => {});
    socket.on('data', (text: string) => {
      head += text;
      if (!head.endsWith(HEAD_END)) return;
      const isForHealth = head.startsWith('GET /plimsoll/');
      head = '';
      if (isForHealth) socket.write(UNKNOWN);
      else {
        line.push(socket);
        next();
      }
    });
  });
  server.listen(0, '127.0.0.1', 1_024);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
