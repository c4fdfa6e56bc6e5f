import { errors } from 'undici';
import {
  type Backend,
  type ConnectionState,
  elapsedMs,
  type GateState,
  type LoadReport,
  type PageVerdict,
} from '../../core/index.js';
import type { Attempt } from '../dispatch/attempt.js';
import type { RawHeaders } from '../dispatch/raw-headers.js';
import type { ResolvedBackend } from '../resolving/index.js';
import { readAnswerSigns } from './answer-signs.js';
import { Backoff } from './backoff.js';
import type { Greeting } from './greeting.js';
import { LastReport } from './last-report.js';
import type { LinkParts } from './link-parts.js';
import { LinkState } from './link-state.js';
import { areOwn, Pools } from './pools.js';
import { RetryTimer } from './retry-timer.js';
import { SocketStash, type StashListener } from './socket-stash.js';
import { targetOf } from './target.js';

/** A connection that lasted so long was one, even if nobody asked for anything. */
const STABLE_MS = 2_000;

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
  readonly #retry: RetryTimer;
  #stash: SocketStash;
  readonly #pools: Pools;
  #isClosed = false;
  #lastSentMs: number;
  #connection: ConnectionState = 'connecting';
  #isLastResort = false;
  #connectedMs = 0;
  /** Something was answered on the connections that there are. */
  #hasAnswered = false;
  readonly #lastReport = new LastReport();

  constructor(parts: LinkParts) {
    const { key, host, zone, options, environment } = parts;
    this.#parts = parts;
    this.key = key;
    this.url = new URL(key);
    this.host = host;
    this.zone = zone;
    this.#retry = new RetryTimer(new Backoff(environment.random, options.backoff), () => this.#reach());
    this.#lastSentMs = environment.monotonicMs();
    this.#stash = this.#newStash();
    const onGoAway = () => this.onGoAway();
    const target = targetOf(this.url, host);
    const nowMs = () => environment.monotonicMs();
    this.#pools = new Pools({ url: this.url, target, options, onGoAway, nowMs });
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

  /** It has fallen silent; or has said GOAWAY on a connection that had been used, perhaps for this connection alone. */
  get isLastResort(): boolean {
    return this.#isLastResort;
  }

  get hasSaidGoAway(): boolean {
    return this.#state.hasSaidGoAway;
  }

  get openConnections(): number {
    return this.#stash.open;
  }

  /** The last load report, by whichever way it came. */
  get report(): LoadReport | undefined {
    return this.#lastReport.report;
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
    this.#pools.dispatch(options, attempt, this.#stash);
  }

  /** Looks at what an answer says of its backend. */
  onAnswerHeaders(attempt: Attempt, headers: RawHeaders): void {
    const signs = readAnswerSigns(headers);
    attempt.report = signs.report;
    if (!this.#hasAnswered) this.#retry.reset();
    this.#hasAnswered = true;
    if (this.#state.onAnswered()) this.#changed();
    if (signs.isLameDuck) this.onTold('lame-duck');
  }

  /** The load that an attempt was answered with. */
  reportOf({ report }: Attempt): LoadReport | undefined {
    return this.#lastReport.read(report);
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
    this.#lastReport.set(report);
    this.#state.onHealth(state, this.#parts.environment.monotonicMs());
    this.#changed();
  }

  /** What its page makes of it. */
  onVerdict(verdict: PageVerdict): void {
    this.#state.onVerdict(verdict);
    this.#changed();
  }

  /** It no longer answers health checks. Whether its machine is there, a new connection shows. */
  onSilent(): void {
    this.#state.onSilent(this.#parts.environment.monotonicMs());
    this.#tryAnew();
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
    // Whoever accepts connections only to close them (a proxy without a server, a process that is full) is not there.
    if (this.#isUnused(this.#parts.environment.monotonicMs())) this.#state.onConnectFailed();
    else {
      // Broken by the other end: a restart, as a rule. Until it is known, requests go elsewhere.
      this.#retry.reset();
      this.#state.onDoubt();
    }
    this.#changed();
  }

  /** A connection broke with a request on it. Whether it is there, a new one shows. */
  onBroken(): void {
    if (!this.#isClosed && this.#state.onBroken()) this.#tryAnew();
  }

  /** No new requests there, whichever connections it has; whether it meant them all is found out. */
  onGoAway(): void {
    const now = this.#parts.environment.monotonicMs();
    this.#state.onGoAway(this.#isUnused(now) ? 'word' : 'hint', now);
    this.#changed();
  }

  onGreeted(greeting: Greeting): void {
    const now = this.#parts.environment.monotonicMs();
    if (greeting === 'welcome') this.#state.onGreeted(now);
    else if (greeting === 'goaway') this.#state.onGoAway('word', now);
    else this.#state.onConnectFailed();
    this.#changed();
  }

  /** Now and then: for what ends by itself. */
  look(now: number): void {
    if (this.#state.forget(now)) this.#changed();
    // Nobody tells when a lame duck that answers no health checks has gone: its port does.
    const isAsked = this.#connection !== 'lame-duck' || this.#state.isTalkative || this.#state.isToBeGreeted;
    const isWaitedFor = this.#connection === 'connecting' || this.#connection === 'unhealthy';
    if (!isAsked || (isWaitedFor && this.#state.isReachable === undefined)) this.#stash.warm();
  }

  /** What runs goes on to its end; connections are closed as they become free. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#retry.stop();
    const closed = this.#pools.close();
    this.#stash.close();
    return closed;
  }

  /** Everything ends now. */
  async destroy(error?: Error): Promise<void> {
    this.#isClosed = true;
    this.#retry.stop();
    this.#stash.close();
    await this.#pools.destroy(error);
  }

  #changed(): void {
    const { connection, isLastResort } = this.#state;
    const before = this.#connection;
    const wasLastResort = this.#isLastResort;
    this.#connection = connection;
    this.#isLastResort = isLastResort;
    const isNews = connection !== before || isLastResort !== wasLastResort;
    if (this.#isClosed) return;
    if (isNews && connection === 'lame-duck') this.#letGo();
    // Whoever is not known to be there is tried again: at once the first time, then less and less often.
    const isLost = this.#state.isReachable !== true && connection !== 'lame-duck';
    if (isLost || this.#state.isToBeGreeted) this.#tryAgain();
    if (isNews) this.#parts.onChange(this);
  }

  #tryAgain(): void {
    if (this.#state.isReachable === undefined && !this.#state.isToBeGreeted) this.#stash.warm();
    else this.#retry.start();
  }

  #tryAnew(): void {
    // One that was opened before would be kept instead, and show nothing.
    this.#stash.drop();
    this.#changed();
    this.#reach();
  }

  /** Opens a connection to see whether it is there, and after a GOAWAY whether it still says so. */
  #reach(): void {
    if (this.#state.hasSaidGoAway) this.#stash.greet();
    else this.#stash.warm();
  }

  /** Nothing was answered on the connections that there are, and they are new. */
  #isUnused(now: number): boolean {
    return !this.#hasAnswered && elapsedMs(this.#connectedMs, now) < STABLE_MS;
  }

  /** A lame duck's clients let go of it: it waits for that before it exits. */
  #letGo(): void {
    this.#pools.retire();
    this.#stash.close();
    this.#stash = this.#newStash();
  }

  #newStash(): SocketStash {
    const { connector, ownConnector, options } = this.#parts;
    const kept = areOwn(this.url, options) ? ownConnector : connector;
    return new SocketStash(kept, targetOf(this.url, this.host), this, connector);
  }
}
