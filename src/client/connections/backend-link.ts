import { type Dispatcher, errors, Pool } from 'undici';
import {
  type Backend,
  type ConnectionState,
  type Environment,
  elapsedMs,
  type GateState,
  type LoadReport,
} from '../../core/index.js';
import { decodeLoadReport } from '../../wire/index.js';
import type { Attempt } from '../dispatch/attempt.js';
import type { RawHeaders } from '../dispatch/handler.js';
import type { ResolvedBackend } from '../resolving/index.js';
import { readAnswerSigns } from './answer-signs.js';
import { Backoff } from './backoff.js';
import type { ConnectionOptions } from './connection-options.js';
import { LinkState } from './link-state.js';
import { type Connector, SocketStash, type StashListener } from './socket-stash.js';

export interface LinkParts {
  readonly key: string;
  /** `Host` and server name, when they are not those of the URL. */
  readonly host: string | undefined;
  /** The same, as far as the resolver gave it. */
  readonly givenHost: string | undefined;
  readonly zone: string | undefined;
  readonly options: ConnectionOptions;
  /** Opens connections; one for all links of a client, with the TLS sessions that it remembers. */
  readonly connector: Connector;
  readonly environment: Environment;
  /** Its state has changed. */
  readonly onChange: (link: BackendLink) => void;
}

/** The connections to one backend: opened before they are needed, given up when they are not, and opened again. */
export class BackendLink implements StashListener {
  readonly key: string;
  readonly url: URL;
  readonly host: string | undefined;
  readonly zone: string | undefined;
  /** The roster's record of it, while it is a member. */
  backend: Backend | undefined = undefined;
  readonly #parts: LinkParts;
  readonly #state = new LinkState();
  readonly #backoff: Backoff;
  #stash: SocketStash;
  #pool: Pool | undefined = undefined;
  /** Pools that finish what they have, and when they have. */
  readonly #retired = new Map<Pool, Promise<void>>();
  #retryTimer: NodeJS.Timeout | undefined = undefined;
  #isClosed = false;
  #lastSentMs: number;
  #connection: ConnectionState = 'connecting';
  #connectedMs = 0;
  /** Something was answered on the connections that there are. */
  #hasAnswered = false;
  #reportText: string | undefined = undefined;
  #report: LoadReport | undefined = undefined;

  constructor(parts: LinkParts) {
    const { key, host, zone, options, environment } = parts;
    this.#parts = parts;
    this.key = key;
    this.url = new URL(key);
    this.host = host;
    this.zone = zone;
    this.#backoff = new Backoff(environment.random, options.backoff);
    this.#lastSentMs = environment.monotonicMs();
    this.#stash = this.#newStash();
  }

  get givenHost(): string | undefined {
    return this.#parts.givenHost;
  }

  get connection(): ConnectionState {
    return this.#connection;
  }

  get isBeingTried(): boolean {
    return this.#state.isBeingTried;
  }

  get openConnections(): number {
    return this.#stash.open;
  }

  /** The last load report that came with an answer. */
  get report(): LoadReport | undefined {
    return this.#report;
  }

  /** Requests have been sent there lately. */
  isActive(now: number): boolean {
    return elapsedMs(this.#lastSentMs, now) < this.#parts.options.inactiveMs;
  }

  /** Opens a connection, if there is none. */
  open(): void {
    if (!this.#isClosed && this.#stash.open === 0) this.#stash.warm();
  }

  dispatch(options: object, attempt: Attempt): void {
    this.#lastSentMs = attempt.sentMs;
    if (this.#isClosed) {
      // Chosen just before: nothing was sent, and another one may take it.
      attempt.onError(new errors.ClientClosedError());
      return;
    }
    this.#pool ??= this.#newPool();
    this.#pool.dispatch(
      options as Dispatcher.DispatchOptions,
      attempt as unknown as Dispatcher.DispatchHandler,
    );
  }

  /** Looks at what an answer says of its backend. */
  onAnswerHeaders(attempt: Attempt, headers: RawHeaders): void {
    const signs = readAnswerSigns(headers);
    attempt.report = signs.report;
    if (!this.#hasAnswered) this.#backoff.reset();
    this.#hasAnswered = true;
    if (signs.isLameDuck) this.onTold('lame-duck');
  }

  /** The load that an attempt was answered with. */
  reportOf({ report }: Attempt): LoadReport | undefined {
    if (report === undefined) return undefined;
    if (report !== this.#reportText) {
      this.#reportText = report;
      this.#report = decodeLoadReport(report);
    }
    return this.#report;
  }

  onTold(state: GateState): void {
    this.#state.onTold(state, this.#parts.environment.monotonicMs());
    this.#changed();
  }

  /** What the resolver says of it. */
  onResolved(state: NonNullable<ResolvedBackend['state']>): void {
    this.#state.onResolved(state);
    this.#changed();
  }

  /** What it says of itself, asked. */
  onHealth(state: GateState, report: LoadReport): void {
    this.#report = report;
    this.#reportText = undefined;
    this.#state.onHealth(state, this.#parts.environment.monotonicMs());
    this.#changed();
  }

  /** It no longer answers health checks. Whether it is there, a new connection shows. */
  onSilent(): void {
    this.#state.onDoubt();
    this.#changed();
    this.#stash.warm();
  }

  onConnected(): void {
    const now = this.#parts.environment.monotonicMs();
    if (this.#stash.open === 1) {
      this.#connectedMs = now;
      this.#hasAnswered = false;
    }
    this.#state.onConnected(now);
    this.#changed();
    // It was only to see whether it is still there: a lame duck waits for its clients to let go.
    if (this.#connection === 'lame-duck') queueMicrotask(() => this.#stash.drop());
  }

  onConnectFailed(): void {
    this.#state.onConnectFailed();
    this.#changed();
  }

  onClosed(open: number, isExpected: boolean): void {
    if (open > 0 || isExpected || this.#isClosed) return;
    const livedMs = elapsedMs(this.#connectedMs, this.#parts.environment.monotonicMs());
    // Whoever accepts connections only to close them (a proxy without a server, a process that is full) is not there.
    if (!this.#hasAnswered && livedMs < STABLE_MS) this.#state.onConnectFailed();
    else {
      // Broken by the other end: a restart, as a rule. Until it is known, requests go elsewhere.
      this.#backoff.reset();
      this.#state.onDoubt();
    }
    this.#changed();
  }

  /** Now and then: for what ends by itself. */
  look(now: number): void {
    if (this.#state.forget(now)) this.#changed();
    // Nobody tells when a lame duck that answers no health checks has gone: its port does.
    const isAsked = this.#connection !== 'lame-duck' || this.#state.isTalkative;
    if (!isAsked || (this.#connection === 'connecting' && this.#state.isReachable === undefined))
      this.#stash.warm();
  }

  /** What runs goes on to its end; connections are closed as they become free. */
  close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    this.#retire();
    this.#stash.close();
    return Promise.all(this.#retired.values()).then(() => {});
  }

  /** Everything ends now. */
  async destroy(error?: Error): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    const pools = [...this.#retired.keys(), ...(this.#pool === undefined ? [] : [this.#pool])];
    this.#stash.close();
    await Promise.all(pools.map((pool) => pool.destroy(error ?? null)));
  }

  #changed(): void {
    const { connection } = this.#state;
    const before = this.#connection;
    this.#connection = connection;
    if (this.#isClosed) return;
    if (connection === 'lame-duck' && before !== 'lame-duck') this.#letGo();
    // Whoever is not known to be there is tried again: at once the first time, then less and less often.
    if (this.#state.isReachable !== true && connection !== 'lame-duck') this.#tryAgain();
    if (connection !== before) this.#parts.onChange(this);
  }

  #tryAgain(): void {
    if (this.#state.isReachable === undefined) {
      this.#stash.warm();
      return;
    }
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = undefined;
      if (!this.#isClosed) this.#stash.warm();
    }, this.#backoff.next()).unref();
  }

  /** A lame duck's clients let go of it: it waits for that before it exits. */
  #letGo(): void {
    this.#retire();
    this.#stash.close();
    this.#stash = this.#newStash();
  }

  #retire(): void {
    const pool = this.#pool;
    if (pool === undefined) return;
    this.#pool = undefined;
    const done = () => {
      this.#retired.delete(pool);
    };
    this.#retired.set(pool, pool.close().then(done, done));
  }

  #newStash(): SocketStash {
    const { protocol, hostname, port, host } = this.url;
    const named = this.host === undefined ? {} : { servername: hostnameOf(this.host) };
    const target = { protocol, host, port, hostname: unbracketed(hostname), ...named };
    return new SocketStash(this.#parts.connector, target, this);
  }

  #newPool(): Pool {
    const { options } = this.#parts;
    return new Pool(this.key, {
      ...(options.perBackend === Number.POSITIVE_INFINITY ? {} : { connections: options.perBackend }),
      connect: this.#stash.connect as never,
      allowH2: options.http2,
      pipelining: 1,
      // What is used when the server says nothing; when it says so, 2 s less than that.
      keepAliveTimeout: Math.min(options.idleMs, QUIET_SERVER_MS),
      keepAliveMaxTimeout: options.idleMs,
      headersTimeout: options.headersTimeoutMs,
      bodyTimeout: options.bodyTimeoutMs,
    });
  }
}

/** A connection that lasted so long was one, even if nobody asked for anything. */
const STABLE_MS = 2_000;

/** A server that does not say how long it keeps connections may do so for as little as 5 s (Node, before it said so). */
const QUIET_SERVER_MS = 4_000;

function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Without the port. */
export function hostnameOf(host: string): string {
  return unbracketed(new URL(`http://${host}`).hostname);
}
