import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** What Node's parser calls when it has read the headers of a request, and nothing has been made of them yet. */
export type HeadersComplete = (
  this: HttpParser,
  versionMajor: number,
  versionMinor: number,
  headers: string[] | undefined,
  method: number,
  url: string | undefined,
  statusCode: number | undefined,
  statusMessage: string | undefined,
  upgrade: boolean,
  shouldKeepAlive: boolean,
) => number;

/** As much of Node's parser as we touch. None of it is documented; see `findParserSlot`. */
export interface HttpParser {
  socket: Socket | null;
  incoming: object | null;
  [slot: number]: unknown;
}

/** Numbers of the methods as the parser tells them; requests of any other method are dealt with later, by name. */
export const EARLY_METHODS: ReadonlyMap<number, string> = new Map([
  [0, 'DELETE'],
  [1, 'GET'],
  [2, 'HEAD'],
  [3, 'POST'],
  [4, 'PUT'],
  [6, 'OPTIONS'],
  [28, 'PATCH'],
]);

export const HEAD_METHOD = 2;

export interface ParserSlot {
  readonly index: number;
  /** What Node itself does when headers are complete. */
  readonly original: HeadersComplete;
  readonly message: MessageSlots;
}

/** Where the parser tells that a message begins, to which Node itself does not listen, and that all of it has come. */
export interface MessageSlots {
  readonly begin: number;
  readonly complete: number;
  readonly originalComplete: (this: HttpParser) => unknown;
}

/** A socket that only this file writes to and reads from. */
class TestSocket extends Duplex {
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}

/** What a socket's parser looks like, if it has one at all. */
export function parserOf(socket: object): HttpParser | undefined {
  const { parser } = socket as { parser?: unknown };
  return typeof parser === 'object' && parser !== null ? (parser as HttpParser) : undefined;
}

/** The slots of a new parser, if they are where and what we know. */
function slotsOf(parser: HttpParser | undefined): ParserSlot | undefined {
  if (parser === undefined) return undefined;
  const { kOnMessageBegin, kOnHeadersComplete, kOnMessageComplete } = parser.constructor as unknown as Record<
    string,
    unknown
  >;
  if (![kOnMessageBegin, kOnHeadersComplete, kOnMessageComplete].every(Number.isInteger)) return undefined;
  const index = Number(kOnHeadersComplete);
  const begin = Number(kOnMessageBegin);
  const complete = Number(kOnMessageComplete);
  const original = parser[index] as HeadersComplete | undefined;
  const originalComplete = parser[complete] as MessageSlots['originalComplete'] | undefined;
  if (typeof original !== 'function' || original.name !== 'parserOnHeadersComplete') return undefined;
  if (typeof originalComplete !== 'function' || originalComplete.name !== 'parserOnMessageComplete')
    return undefined;
  if (typeof parser[begin] === 'function') return undefined;
  return { index, original, message: { begin, complete, originalComplete } };
}

interface Trial {
  readonly slot: ParserSlot;
  readonly told: unknown[][];
  readonly emitted: string[];
  /** What was told of each message, in its order: b(egin), h(eaders), c(omplete). */
  readonly course: string;
}

/** Requests through a server that answers nothing; what the parser told, and which of them came out of it. */
function trial(): Trial | undefined {
  const server: Server = createServer({ requireHostHeader: false });
  const emitted: string[] = [];
  server.on('request', (request, response) => {
    emitted.push(`${request.method} ${request.url}`);
    response.end();
  });
  const socket = new TestSocket();
  server.emit('connection', socket as unknown as Socket);
  try {
    const parser = parserOf(socket);
    const slot = slotsOf(parser);
    if (parser === undefined || slot === undefined) return undefined;
    const { index, original, message } = slot;
    const told: unknown[][] = [];
    let course = '';
    const listener: HeadersComplete = function (...args) {
      told.push(args);
      course += 'h';
      if (args[4] !== '/refused') return original.apply(this, args);
      // It never becomes a request; those before and behind it on the same connection must. As in earnest, those before
      // are done with.
      this.incoming = null;
      return 0;
    };
    parser[index] = listener;
    parser[message.begin] = () => {
      course += 'b';
    };
    parser[message.complete] = function (this: HttpParser) {
      course += 'c';
      return message.originalComplete.call(this);
    };
    for (const method of EARLY_METHODS.values()) send(socket, `${method} / HTTP/1.1\r\nA: b\r\nC: d\r\n\r\n`);
    send(socket, 'POST /refused HTTP/1.1\r\ncontent-length: 2\r\n\r\nhi');
    send(socket, 'GET /refused HTTP/1.1\r\n\r\nGET /after HTTP/1.1\r\n\r\n');
    // One whose end never comes.
    send(socket, 'POST /refused HTTP/1.1\r\ncontent-length: 2\r\n\r\n');
    // Parsers are used again, by others than us.
    parser[index] = original;
    parser[message.begin] = null;
    parser[message.complete] = message.originalComplete;
    return { slot, told, emitted, course };
  } finally {
    socket.destroy();
    server.close();
  }
}

function send(socket: TestSocket, text: string): void {
  socket.emit('data', Buffer.from(text, 'latin1'));
}

let found: ParserSlot | undefined | null = null;

/**
 * Where to listen for complete headers, or undefined when this Node is not what we know. To refuse there, before Node
 * has made a request and a response of them, costs half of what an ordinary answer does (docs/decisions/0010). Since it
 * is nobody's promise, it is tried out first, on a connection that is not one: each method under its number, headers as
 * a flat list, begin and end of each message, and, when a request is passed over with and without a body, its neighbours
 * come through unharmed.
 */
export function findParserSlot(): ParserSlot | undefined {
  if (found === null) {
    try {
      found = tryOut();
    } catch {
      found = undefined;
    }
  }
  return found;
}

function tryOut(): ParserSlot | undefined {
  const seen = trial();
  if (seen === undefined) return undefined;
  const methods = [...EARLY_METHODS];
  if (seen.told.length !== methods.length + 4) return undefined;
  if (seen.course !== `${'bhc'.repeat(methods.length + 3)}bh`) return undefined;
  for (const [at, [number]] of methods.entries()) {
    const [major, minor, headers, method, url, , , upgrade, keepAlive] = seen.told[at]!;
    if (major !== 1 || minor !== 1 || method !== number || url !== '/') return undefined;
    if (JSON.stringify(headers) !== '["A","b","C","d"]' || upgrade !== false || keepAlive !== true)
      return undefined;
  }
  const expected = [...methods.map(([, name]) => `${name} /`), 'GET /after'];
  return JSON.stringify(seen.emitted) === JSON.stringify(expected) ? seen.slot : undefined;
}
