import { type Dispatcher, Pool } from 'undici';
import type { Attempt } from '../dispatch/attempt.js';
import { ConnectionPool } from '../http1/connection-pool.js';
import { SessionPool } from '../http2/session-pool.js';
import type { ConnectionOptions } from './connection-options.js';
import type { ConnectOptions, SocketStash } from './socket-stash.js';

/** A server that does not say how long it keeps connections may do so for as little as 5 s (Node, before it said so). */
const QUIET_SERVER_MS = 4_000;

type AnyPool = Pool | SessionPool | ConnectionPool;

/** Who opens connections for pools: of the kind that is kept before it is needed, and of the other. */
export type Connects = Pick<SocketStash, 'connect' | 'connectOther'>;

/** Whom pools are for, and what they have to tell. */
export interface PoolParts {
  readonly url: URL;
  readonly target: ConnectOptions;
  readonly options: ConnectionOptions;
  readonly onGoAway: () => void;
  readonly nowMs: () => number;
}

/** Whether connections are our own (`http1/`): without TLS, and as many as are needed. Undici's are for all others. */
export function areOwn({ protocol }: URL, { http2, perBackend }: ConnectionOptions): boolean {
  return protocol === 'http:' && http2 !== 'required' && perBackend === Number.POSITIVE_INFINITY;
}

/** The pools for one backend: the one in use, and those that only finish what they have. */
export class Pools {
  readonly #parts: PoolParts;
  #current: AnyPool | undefined = undefined;
  /** And when they have. */
  readonly #retired = new Map<AnyPool, Promise<void>>();

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** `connects` is asked for connections, also later, by the pool that this makes if there is none. */
  dispatch(options: object, attempt: Attempt, connects: Connects): void {
    this.#current ??= this.#create(connects);
    this.#current.dispatch(
      options as Dispatcher.DispatchOptions,
      attempt as Attempt & Dispatcher.DispatchHandler,
    );
  }

  /** What runs goes on to its end; connections are closed as they become free. */
  retire(): void {
    const pool = this.#current;
    if (pool === undefined) return;
    this.#current = undefined;
    const done = () => {
      this.#retired.delete(pool);
    };
    this.#retired.set(pool, pool.close().then(done, done));
  }

  close(): Promise<void> {
    this.retire();
    return Promise.all(this.#retired.values()).then(() => {});
  }

  /** Everything ends now. */
  async destroy(error: Error | undefined): Promise<void> {
    const pools = [...this.#retired.keys(), ...(this.#current === undefined ? [] : [this.#current])];
    await Promise.all(pools.map((pool) => pool.destroy(error ?? null)));
  }

  #create({ connect, connectOther }: Connects): AnyPool {
    const { url, options, target, nowMs } = this.#parts;
    // Undici sends one request with a body at a time on a connection, and a GOAWAY breaks it: docs/decisions/0016.
    if (options.http2 === 'required') return new SessionPool({ ...this.#parts, connect });
    // What is used when the server says nothing; when it says so, 2 s less than that.
    const quietMs = Math.min(options.idleMs, QUIET_SERVER_MS);
    if (!areOwn(url, options)) return this.#createOther(connect, quietMs);
    const createOther = () => this.#createOther(connectOther, quietMs);
    return new ConnectionPool({ url, target, options, quietMs, nowMs, connect, createOther });
  }

  /** Undici's. */
  #createOther(connect: SocketStash['connect'], keepAliveTimeout: number): Pool {
    const { url, options } = this.#parts;
    return new Pool(url.origin, {
      ...(options.perBackend === Number.POSITIVE_INFINITY ? {} : { connections: options.perBackend }),
      connect: connect as never,
      allowH2: options.http2 === true,
      pipelining: 1,
      keepAliveTimeout,
      keepAliveMaxTimeout: options.idleMs,
      headersTimeout: options.headersTimeoutMs,
      bodyTimeout: options.bodyTimeoutMs,
    });
  }
}
