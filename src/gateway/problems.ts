import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEMS, type Problem } from './forwarding/index.js';
import { discardRest } from './forwarding/lingering.js';
import { REQUEST_ID_HEADER, requestIdOf } from './forwarding/request-id.js';
import type { NotFound } from './routing/index.js';

function problem(status: number, title: string, headers: readonly string[] = []): Problem {
  const body = JSON.stringify({ title, status });
  const own = ['content-type', 'application/problem+json', 'content-length', String(body.length)];
  return Object.freeze({ status, headers: Object.freeze([...headers, ...own]), body });
}

const NO_ROUTE = problem(404, 'No route');
const AMBIGUOUS = problem(400, 'Ambiguous path');
export const FAILED: Problem = Object.freeze({ status: 500, headers: ['content-length', '0'], body: '' });
const ASTERISK: Problem = Object.freeze({ status: 204, headers: [], body: '' });

/** Not known, where somebody has to be. RFC 9110, 15.5.2: it is said how to be known. */
export function unauthorized(scheme: string): Problem {
  return problem(401, 'Unauthorized', ['www-authenticate', scheme]);
}

/** Somebody has to be known, and nobody can tell whether they are: it may be otherwise in a moment. */
export const UNVERIFIED = problem(503, 'Identity cannot be verified', ['retry-after', '1']);

export function notFoundProblem(found: NotFound, method: string | undefined): Problem {
  switch (found) {
    case 'not-found':
      return NO_ROUTE;
    case 'ambiguous':
      return AMBIGUOUS;
    case 'bad-request':
      return PROBLEMS['bad-request'];
    case 'asterisk':
      return method === 'OPTIONS' ? ASTERISK : PROBLEMS['bad-request'];
    default:
      return problem(405, 'Method not allowed', ['allow', found.allow.join(', ')]);
  }
}

/** An answer of our own. Headers that were set before stay. */
export function answer(req: IncomingMessage, res: ServerResponse, { status, headers, body }: Answer): void {
  if (res.headersSent || res.destroyed) return;
  for (let i = 0; i + 1 < headers.length; i += 2) res.setHeader(headers[i]!, headers[i + 1]!);
  const id = requestIdOf(req);
  if (id !== undefined) res.setHeader(REQUEST_ID_HEADER, id);
  const isUnread = !req.complete && isLong(req);
  if (isUnread) res.setHeader('connection', 'close');
  res.writeHead(status).end(req.method === 'HEAD' ? undefined : body);
  if (isUnread) discardRest(req, res);
}

/** As long as what is read of a body that nobody wants; a longer one costs the connection. */
const MOST_READ_BYTES = 65_536;

function isLong({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MOST_READ_BYTES
  );
}

export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

/** The same on a connection that Node has handed over; it ends with it. */
export function answerOn(socket: Duplex, { status, headers, body }: Answer): void {
  if (socket.destroyed) return;
  socket.on('error', () => {});
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nconnection: close\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  socket.write(`${head}\r\n`, 'latin1');
  socket.end(body);
  // Nobody reads it any more, and unread data would turn the end into a reset.
  socket.resume();
}
