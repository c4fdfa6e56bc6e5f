import type { IncomingMessage } from 'node:http';

/** What rules may know of a request, whichever framework has it. */
export interface RequestView {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Of the other end of the connection. */
  readonly address: string | undefined;
  /** By its name in lower case; several of one name as one, with commas. HTTP/2 has the host elsewhere: see `hostIn`. */
  header(name: string): string | undefined;
  /** The request itself, for rules that queue it. */
  readonly incoming?: IncomingMessage | undefined;
  /** What is known of it besides: for rules that queue it, whoever performs it is told. */
  readonly facts?: Readonly<Record<string, string>> | undefined;
  /** For rules that queue it: names in lower case of further headers that carry secrets. */
  readonly secretHeaders?: readonly string[] | undefined;
  /** For rules that queue it: longer bodies are not kept. */
  readonly maxBodyBytes?: number | undefined;
  /** It cannot be performed without whoever asks: rules that would queue it refuse it. */
  readonly cannotWait?: boolean | undefined;
}

export function viewOf(req: IncomingMessage): RequestView {
  return {
    method: req.method ?? 'GET',
    // Express cuts off the path that a router is mounted on, and keeps the whole here.
    url: (req as { originalUrl?: string }).originalUrl ?? req.url ?? '/',
    address: req.socket.remoteAddress,
    header: (name) => headerOf(req, name),
    incoming: req,
  };
}

/** By its name in lower case. */
export function headerOf(req: IncomingMessage, name: string): string | undefined {
  return joined(req.headers[name] ?? (name === 'host' ? hostIn(req) : undefined));
}

/** How HTTP/2 says which host is asked (RFC 9113, 8.3.1). */
export function hostIn(req: IncomingMessage | undefined): string | undefined {
  return joined(req?.headers?.[':authority']);
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
