import type { IncomingMessage } from 'node:http';

/** What rules may know of a request, whichever framework has it. */
export interface RequestView {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Of the other end of the connection. */
  readonly address: string | undefined;
  /** By its name in lower case; several of one name as one, with commas. */
  header(name: string): string | undefined;
  /** The request itself, for rules that queue it. */
  readonly incoming?: IncomingMessage | undefined;
}

export function viewOf(req: IncomingMessage): RequestView {
  return {
    method: req.method ?? 'GET',
    // Express cuts off the path that a router is mounted on, and keeps the whole here.
    url: (req as { originalUrl?: string }).originalUrl ?? req.url ?? '/',
    address: req.socket.remoteAddress,
    header: (name) => joined(req.headers[name]),
    incoming: req,
  };
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
