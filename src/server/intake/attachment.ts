import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Door } from '../door.js';
import type { GuardedRequest } from '../guarded-request.js';
import { type Connection, connectionOf } from './connection.js';
import { guardResponses, requestOf } from './guarded-response.js';
import { Handshake } from './handshake.js';
import type { ParserSlot } from './parser-slot.js';
import type { ServerLimits } from './server-limits.js';
import { applyLimits } from './server-limits.js';
import { UnlistedConnections } from './unlisted-connections.js';

type Emit = (this: Server, event: string | symbol, ...args: unknown[]) => boolean;

/** A server has one guard: two would each wait for ends that only the other hears of. */
const GUARDED = Symbol('plimsoll.guarded');

export interface AttachmentParts {
  readonly door: Door;
  readonly limits: ServerLimits;
  /** Undefined: decide when the request event comes. */
  readonly slot: ParserSlot | undefined;
  /** Answers if it is one of the guard's own pages. */
  readonly answerHealth: (req: IncomingMessage, res: ServerResponse, connection: Connection) => boolean;
}

/**
 * Stands between a server and whoever listens to it: requests reach listeners when it is their turn, or not at all.
 * Since it holds back the event itself, nothing that a framework or a tracer does for a request is done for one that is
 * refused, and what they do happens when it runs.
 */
export class Attachment {
  readonly server: Server;
  readonly #parts: AttachmentParts;
  /** What was called to emit before us: the prototype's, which tracers may replace later, unless somebody was here. */
  readonly #ownEmit: Emit | undefined;
  readonly #idleMs: number;
  /** Undefined: Node lists all. */
  readonly #unlisted: UnlistedConnections | undefined;

  constructor(server: Server, parts: AttachmentParts) {
    if (Object.hasOwn(server, GUARDED)) throw new Error('this server has a guard already');
    Object.defineProperty(server, GUARDED, { value: true });
    this.server = server;
    this.#parts = parts;
    this.#ownEmit = Object.hasOwn(server, 'emit') ? (server.emit as Emit) : undefined;
    this.#idleMs = applyLimits(server, parts.limits, guardResponses(server));
    this.#unlisted =
      parts.slot === undefined
        ? undefined
        : new UnlistedConnections(server, parts.door.connections, (socket) => this.#onConnection(socket));
    // https has a parser on a connection only once it is secure.
    const event = server.listenerCount('secureConnection') > 0 ? 'secureConnection' : 'connection';
    server.on(event, (socket: Socket) => this.#onConnection(socket));
    (server as { emit: Emit }).emit = this.#guardedEmit();
    // Without a listener Node would say "100 Continue" by itself, before anybody was asked.
    if (server.listenerCount('checkContinue') === 0) server.on('checkContinue', this.#continue);
  }

  #guardedEmit(): Emit {
    const attachment = this;
    return function (event, first, second) {
      switch (event) {
        case 'request':
          return attachment.#enter(first, second, attachment.#deliverRequest);
        case 'checkContinue':
          return attachment.#enter(first, second, attachment.#deliverContinue);
        case 'checkExpectation':
          return attachment.#enter(first, second, attachment.#deliverExpectation);
        case 'upgrade':
        case 'connect':
          // biome-ignore lint/complexity/noArguments: passed on as they are, and no list is made for each event
          return attachment.#onUpgrade(first as IncomingMessage, second as Duplex, arguments);
        case 'connection':
        case 'secureConnection':
          // biome-ignore lint/complexity/noArguments: the same
          return attachment.#onNewConnection(first as Socket, arguments);
        default:
          // biome-ignore lint/complexity/noArguments: the same
          return attachment.#emitAll(arguments);
      }
    };
  }

  get #baseEmit(): Emit {
    return this.#ownEmit ?? (Object.getPrototypeOf(this.server) as { emit: Emit }).emit;
  }

  #emitAll(args: IArguments): boolean {
    return this.#baseEmit.apply(this.server, args as unknown as Parameters<Emit>);
  }

  #onNewConnection(socket: Socket, args: IArguments): boolean {
    const emit = () => this.#emitAll(args);
    return this.#unlisted === undefined ? emit() : this.#unlisted.accept(socket, emit);
  }

  #onConnection(socket: Socket): void {
    const { door, slot } = this.#parts;
    const connection = connectionOf(socket, door);
    connection.keepFor(this.#idleMs);
    door.loop.onConnection();
    if (slot === undefined) return;
    connection.isUnlisted = this.#unlisted?.claim() ?? false;
    connection.listenEarly(slot);
  }

  #enter(first: unknown, second: unknown, deliver: GuardedRequest['deliver']): boolean {
    const req = first as IncomingMessage;
    const res = second as ServerResponse;
    const { door, answerHealth } = this.#parts;
    // Passed on by another server of ours, with its guard's leave.
    const known = requestOf(res);
    if (known !== undefined && known.state === 'running') {
      deliver(known);
      return true;
    }
    const { arriving } = door;
    const connection = arriving?.socket === req.socket ? arriving : connectionOf(req.socket, door);
    if (connection.isLingering) return true;
    connection.quietSinceMs = connection.pending?.arrivedMs ?? performance.now();
    if (connection.pending !== undefined || !answerHealth(req, res, connection))
      door.enter(connection, req, res, deliver);
    return true;
  }

  readonly #deliverRequest = ({ req, res }: GuardedRequest) => {
    this.#baseEmit.call(this.server, 'request', req, res);
  };

  readonly #deliverContinue = ({ req, res }: GuardedRequest) => {
    // Somebody has come who deals with it.
    if (this.server.listenerCount('checkContinue') > 1) this.server.off('checkContinue', this.#continue);
    this.#baseEmit.call(this.server, 'checkContinue', req, res);
  };

  readonly #deliverExpectation = ({ req, res }: GuardedRequest) => {
    this.#baseEmit.call(this.server, 'checkExpectation', req, res);
  };

  /** What Node does when nobody listens. */
  readonly #continue = (req: IncomingMessage, res: ServerResponse) => {
    res.writeContinue();
    this.#baseEmit.call(this.server, 'request', req, res);
  };

  /** A request for another protocol: let in or not like any request, and one until it is answered. */
  #onUpgrade(req: IncomingMessage, socket: Duplex, args: IArguments): boolean {
    // Passed on by another server of ours.
    if (requestOf(socket)?.state === 'running') return this.#emitAll(args);
    const { door } = this.#parts;
    const connection = connectionOf(req.socket, door);
    connection.leaveParser();
    if (connection.isLingering || connection.isAnswering) closeBehindOthers(connection, socket);
    else {
      const request = door.arriveCall(connection, req.method ?? '', req.url ?? '', req.rawHeaders);
      connection.quietSinceMs = request.arrivedMs;
      request.req = req;
      const handshake = new Handshake(request, socket);
      door.enterCall(request, handshake, () => handshake.deliver(() => this.#emitAll(args)));
    }
    return true;
  }
}

/** Bytes of another protocol, or of a refusal, would be taken for the answer to an earlier request. */
function closeBehindOthers(connection: Connection, socket: Duplex): void {
  socket.on('error', () => {});
  // No parser reads it any more, and nobody would notice that the other end has closed.
  socket.resume();
  if (!connection.isLingering) connection.closeWhenAnswered();
}
