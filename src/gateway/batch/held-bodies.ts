import type { IncomingMessage } from 'node:http';

/** Bodies up to this are read while their requests wait: that shows whether their clients are still there. */
const MOST_READ_BYTES = 16_384;

/** What Node may have read along with the head: one read of a socket, or the window of a stream. */
const MOST_READ_ALONG_BYTES = 65_536;

/**
 * How much of bodies is in memory while their requests wait. A longer one is not read before it is wanted: its socket is
 * paused, and what its client sends waits where it is. That this client has gone is then seen only when its turn comes.
 */
export class HeldBodies {
  readonly #mostBytes: number;
  readonly #held = new Map<IncomingMessage, number>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False when there is no room for more. */
  hold(req: IncomingMessage): boolean {
    const length = lengthOf(req);
    if (length === 0) return true;
    const isRead = length <= MOST_READ_BYTES;
    const bytes = isRead ? length : Math.min(length, MOST_READ_ALONG_BYTES);
    if (this.#bytes + bytes > this.#mostBytes) return false;
    this.#held.set(req, bytes);
    this.#bytes += bytes;
    // A stream of HTTP/2 cannot be paused: its client may fill the window whenever it likes.
    if (!isRead && !isStream(req)) {
      // Whoever reads the request resumes it.
      req.socket.pause();
      // What has come along is pushed in this turn; the rest is not there.
      process.nextTick(() => this.#correct(req));
    }
    return true;
  }

  /** It is somebody else's now, or nobody's. */
  release(req: IncomingMessage): void {
    this.#bytes -= this.#held.get(req) ?? 0;
    this.#held.delete(req);
  }

  #correct(req: IncomingMessage): void {
    if (!this.#held.has(req)) return;
    this.release(req);
    this.#held.set(req, req.readableLength);
    this.#bytes += req.readableLength;
  }
}

function isStream({ socket }: IncomingMessage): boolean {
  return (socket as { isStream?: boolean }).isStream === true;
}

/** How long the body of a request is by its head; infinite when that is not said. */
export function lengthOf({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}
