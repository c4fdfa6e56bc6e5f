import type { Server as Http2Server } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import type { GuardedRequest } from '../../server/guarded-request.js';
import type { Guest, Host } from '../../server/guest.js';
import { connectionOf } from '../../server/intake/connection.js';
import { Route } from '../../server/intake/routes.js';
import { encodeGrpcTimeout, GRPC_TIMEOUT_HEADER } from '../../wire/index.js';
import { GrpcAnswers } from './grpc-answers.js';
import { HandlerExchange, Peer } from './handler-exchange.js';
import { type Calling, HandlerRunner } from './handler-runner.js';
import { flatMetadata } from './metadata.js';
import type { AnyCall, GrpcHandler, Method, MethodType } from './method.js';
import { StreamIntake } from './stream-intake.js';

/** What grpc-js keeps of a method. */
interface Registered {
  func: GrpcHandler;
  readonly type: MethodType;
}

/** What of grpc-js is not documented, and is used where it is there. */
interface Internals {
  readonly handlers?: Map<string, Registered>;
  readonly http2Servers?: Map<Http2Server, unknown>;
  createHttp2Server?(...args: unknown[]): Http2Server;
}

const GUARDED = Symbol('plimsoll.guarded');

/**
 * Stands between a server of grpc-js and its clients, and between it and its handlers. Where grpc-js makes its servers of
 * HTTP/2 as expected, calls are met there; a call that reaches its handler without having been met is met then.
 */
export class GrpcAttachment implements Guest {
  readonly server: Server;
  readonly methods = new Map<string, Method>();
  readonly #host: Host;
  readonly #degraded: Readonly<Record<string, GrpcHandler>>;
  readonly #answers: GrpcAnswers;
  readonly #runner: HandlerRunner;
  readonly #intake: StreamIntake;
  readonly #exempt: ReadonlySet<string>;
  readonly #onStop: (() => void)[] = [];
  #hasStreams = false;

  constructor(
    server: Server,
    host: (guest: Guest) => Host,
    degraded: Readonly<Record<string, GrpcHandler>>,
    exempt: ReadonlySet<string>,
  ) {
    if (Object.hasOwn(server, GUARDED)) throw new Error('this server has a guard already');
    Object.defineProperty(server, GUARDED, { value: true });
    this.server = server;
    this.#host = host(this);
    this.#degraded = degraded;
    this.#exempt = exempt;
    const { door, onError, mayRefuseEarly } = this.#host;
    this.#answers = new GrpcAnswers(door.answers);
    this.#runner = new HandlerRunner(door, onError);
    this.#intake = new StreamIntake({
      door,
      answers: this.#answers,
      methodAt: (path) => this.methods.get(path),
    });
    this.#wrapHandlers();
    if (mayRefuseEarly) this.#meetStreams();
  }

  /** Called when a drain takes no more calls. */
  onStop(listener: () => void): void {
    this.#onStop.push(listener);
  }

  stop(): void {
    for (const listener of this.#onStop) listener();
    if (this.#hasStreams) this.#intake.stop();
    else this.server.tryShutdown(() => {});
  }

  close(): void {
    this.server.forceShutdown();
  }

  /** Those that were registered before us, and all that will be. */
  #wrapHandlers(): void {
    const { server } = this;
    const { handlers } = server as unknown as Internals;
    if (handlers instanceof Map)
      for (const [path, registered] of handlers)
        registered.func = this.#wrapped(path, registered.type, registered.func);
    const register = server.register.bind(server) as (...args: unknown[]) => boolean;
    (server as { register: unknown }).register = (
      path: string,
      handler: GrpcHandler,
      serialize: unknown,
      deserialize: unknown,
      type: MethodType,
    ) => register(path, this.#wrapped(path, type, handler), serialize, deserialize, type);
  }

  /** By its own method, which is called for each address and each injector. */
  #meetStreams(): void {
    const internals = this.server as unknown as Internals;
    if (internals.http2Servers instanceof Map)
      for (const server of internals.http2Servers.keys()) this.#meet(server);
    const { createHttp2Server } = internals;
    if (typeof createHttp2Server !== 'function') return;
    internals.createHttp2Server = (...args) => {
      const made = createHttp2Server.apply(this.server, args);
      this.#meet(made);
      return made;
    };
  }

  /** Only what is a server, and what grpc-js listens to. */
  #meet(server: Http2Server): void {
    if (typeof server?.emit !== 'function' || server.listenerCount('stream') === 0) return;
    this.#hasStreams = true;
    this.#intake.attach(server);
  }

  #wrapped(path: string, type: MethodType, handler: GrpcHandler): GrpcHandler {
    const route = this.#exempt.has(path)
      ? new Route({ path, name: path, exempt: true })
      : this.#host.routes.known('POST', path);
    const method = { path, type, route, handler, degraded: this.#degraded[path] ?? handler };
    if (!this.methods.has(path)) this.methods.set(path, method);
    return (call, callback) => this.#onCall({ method, call, callback });
  }

  #onCall(calling: Calling): void {
    const request = this.#intake.claim(calling.call.metadata);
    if (request !== undefined) this.#runner.run(request, calling);
    else this.#enter(calling);
  }

  /** By documented means: the call is there, with its first message. */
  #enter(calling: Calling): void {
    const { door } = this.#host;
    const { call, method } = calling;
    const peer = new Peer(call.getPeer(), call.getAuthContext().sslPeerCertificate);
    const connection = connectionOf(peer as never, door);
    const request = door.arriveCall(connection, 'POST', method.path, rawHeadersOf(call), method.route);
    const exchange = new HandlerExchange(request, peer, this.#answers, calling);
    door.enterCall(request, exchange, this.#deliver);
  }

  readonly #deliver = (request: GuardedRequest) => {
    this.#runner.run(request, (request.exchange as HandlerExchange).calling);
  };
}

/** grpc-js has taken the deadline out of the metadata. */
function rawHeadersOf(call: AnyCall): string[] {
  const raw = flatMetadata(call.metadata);
  const deadline = Number(call.getDeadline());
  if (Number.isFinite(deadline)) raw.push(GRPC_TIMEOUT_HEADER, encodeGrpcTimeout(deadline - Date.now()));
  return raw;
}
