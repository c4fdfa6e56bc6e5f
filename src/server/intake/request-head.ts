import type { Socket } from 'node:net';

/**
 * A request before anything was made of it: what functions of the user's are asked with to tell whose it is and how
 * critical. It is lent: do not keep it.
 */
export class RequestHead {
  method = '';
  url = '';
  /** Names and values in turn, as they came. */
  rawHeaders: readonly string[] = [];
  remoteAddress: string | undefined = undefined;
  /** What it came on: a `TLSSocket` knows who is at the other end. */
  socket: Socket | undefined = undefined;
  /** Whether the other end is one of those that are believed (option `trust`). */
  isTrusted = false;

  /** The first header of this name; undefined when there is none. */
  header(name: string): string | undefined {
    const wanted = name.toLowerCase();
    for (let i = 0; i + 1 < this.rawHeaders.length; i += 2) {
      if (this.rawHeaders[i]!.toLowerCase() === wanted) return this.rawHeaders[i + 1];
    }
    return undefined;
  }
}
