import { type ConnectionState, elapsedMs, type GateState } from '../../core/index.js';

/** A lame duck that is never heard of again is tried anew after this: as long as a drain takes, and as much again. */
const LAME_DUCK_MS = 60_000;
/** A new process that used to say how it is, and does not, is believed to be ready after this. */
const SILENT_START_MS = 2_000;

/**
 * What a client believes of one backend, from what it sees (connections that open, fail and break) and what it is told
 * (health checks, headers of answers, the resolver), whichever comes first. Facts only; opinions are the roster's.
 */
export class LinkState {
  /** Whether it can be connected to; undefined until that was tried, or when there is reason to try again. */
  #isReachable: boolean | undefined = undefined;
  #told: GateState | undefined = undefined;
  #toldMs = 0;
  /** It says how it is when it is asked. */
  #isTalkative = false;

  get connection(): ConnectionState {
    if (this.#isReachable === false) return 'refusing';
    if (this.#told === 'lame-duck' || this.#told === 'closed') return 'lame-duck';
    if (this.#told === 'starting') return 'connecting';
    return this.#isReachable === true ? 'ready' : 'connecting';
  }

  /** Nothing speaks against it, but nothing is known either: it is being tried for the first time. */
  get isUntried(): boolean {
    return this.#isReachable === undefined && this.#told === undefined;
  }

  get told(): GateState | undefined {
    return this.#told;
  }

  get isReachable(): boolean | undefined {
    return this.#isReachable;
  }

  get isTalkative(): boolean {
    return this.#isTalkative;
  }

  onConnected(now: number): void {
    // It did not listen, and listens now: a new process, which may be starting. If it can say so, it is waited for.
    if (this.#isReachable === false) {
      this.#told = this.#isTalkative ? 'starting' : undefined;
      this.#toldMs = now;
    }
    this.#isReachable = true;
  }

  onConnectFailed(): void {
    this.#isReachable = false;
  }

  /** The last connection broke, or it no longer answers health checks: it may be gone. */
  onDoubt(): void {
    if (this.#isReachable === true) this.#isReachable = undefined;
  }

  /** Its own word, in answer to a health check: it can be asked again. */
  onHealth(state: GateState, now: number): void {
    this.#isTalkative = true;
    this.onTold(state, now);
  }

  /** What an answer's headers or the resolver say of it. */
  onTold(state: GateState, now: number): void {
    this.#told = state;
    this.#toldMs = now;
    // Whoever says that it is ready is there: worth a connection now, and not when the backoff is over.
    if (state === 'ready' && this.#isReachable === false) this.#isReachable = undefined;
  }

  /** What was told does not hold for ever. True when that changes something. */
  forget(now: number): boolean {
    const sinceMs = elapsedMs(this.#toldMs, now);
    const { connection } = this;
    const isOver =
      (connection === 'lame-duck' && sinceMs >= LAME_DUCK_MS) ||
      (connection === 'connecting' &&
        this.#told === 'starting' &&
        this.#isReachable === true &&
        !this.#isHeard(now));
    if (!isOver) return false;
    if (connection === 'lame-duck') this.#isReachable = undefined;
    this.#told = undefined;
    return true;
  }

  #isHeard(now: number): boolean {
    return elapsedMs(this.#toldMs, now) < SILENT_START_MS;
  }
}
