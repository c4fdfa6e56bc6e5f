import { type ConnectionState, elapsedMs, type GateState, type PageVerdict } from '../../core/index.js';

/** What a backend says of itself holds for so long without a word: as long as a drain takes, and as much again. */
const WORD_MS = 60_000;
/**
 * Where it cannot be asked again, only for so long: as our servers take until they stop to listen. What calls itself a lame
 * duck there may be one of many behind the same address.
 */
const UNASKED_MS = 3_000;
/** A new process that used to say how it is, and does not, is believed to be ready after this. */
const SILENT_START_MS = 2_000;

/**
 * A server that goes says GOAWAY, and so does one that only ends an old connection: a hint. On a connection that has carried
 * nothing yet it is its word.
 */
export type GoAway = 'hint' | 'word';

/**
 * What a client believes of one backend, from what it sees (connections that open, fail and break) and what it is told
 * (by its health checks and the headers of its answers, and by the resolver). Facts only; opinions are the roster's.
 */
export class LinkState {
  /** Whether it can be connected to; undefined until that was tried, or when there is reason to try again. */
  #isReachable: boolean | undefined = undefined;
  /** Its own word. */
  #told: GateState | undefined = undefined;
  #toldMs = 0;
  /** That it is starting is only a guess. */
  #isAssumed = false;
  /** It says how it is when it is asked. */
  #isTalkative = false;
  /** The resolver's word, which only the resolver takes back: it knows of an end that the process may not know of yet. */
  #resolved: 'starting' | 'lame-duck' | undefined = undefined;
  /** It said so since it was last heard or greeted. */
  #goAway: GoAway | undefined = undefined;
  /** What its page makes of it, where one is asked for: well until that is known. */
  #verdict: PageVerdict = 'well';
  /** A connection broke with a request on it, and none has been opened since. */
  #hasBroken = false;
  /** Since when it says nothing any more, though it used to. */
  #silentMs: number | undefined = undefined;

  get connection(): ConnectionState {
    if (this.#isReachable === false) return 'refusing';
    if (this.#resolved === 'lame-duck' || this.#isLame) return 'lame-duck';
    if (this.#resolved === 'starting' || this.#told === 'starting') return 'connecting';
    if (this.#verdict !== 'well') return 'unhealthy';
    const isThere = this.#isReachable === true && !this.isSilent && !this.#hasBroken;
    return isThere ? 'ready' : 'connecting';
  }

  /** That it can be connected to is no proof then: for a process that stands still its kernel accepts connections. */
  get isSilent(): boolean {
    return this.#silentMs !== undefined;
  }

  /** Nothing speaks against it, and a connection is being tried: for the first time, or because the last one broke. */
  get isBeingTried(): boolean {
    const isHopeful = this.#told === undefined || this.#told === 'ready';
    const isAccused = this.#resolved !== undefined || this.#goAway !== undefined || this.#verdict !== 'well';
    return (this.#isReachable === undefined || this.#isDoubted) && isHopeful && !isAccused;
  }

  /**
   * Nothing but a hint, its silence, a request that it broke or a page that is not there speaks against it: when there is
   * nobody else, it may be sent to.
   */
  get isLastResort(): boolean {
    if (this.#resolved !== undefined || this.#told === 'starting' || this.#verdict === 'unwell') return false;
    if (this.#goAway === 'hint') return this.#isReachable !== false;
    const isDoubtful = this.isSilent || this.#hasBroken || this.#verdict === 'doubtful';
    return isDoubtful && this.#isReachable === true && !this.#isLame;
  }

  get hasSaidGoAway(): boolean {
    return this.#goAway !== undefined;
  }

  /** It has said GOAWAY, and whether it meant it only a new connection shows. */
  get isToBeGreeted(): boolean {
    return this.#goAway !== undefined && !this.#isTalkative;
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

  get #isDoubted(): boolean {
    return this.#isReachable === true && this.#hasBroken;
  }

  get #isLame(): boolean {
    return this.#hasSaidLame || this.#goAway !== undefined;
  }

  get #hasSaidLame(): boolean {
    return this.#told === 'lame-duck' || this.#told === 'closed';
  }

  onConnected(now: number): void {
    // It did not listen, and listens now: a new process, which may be starting. If it can say so, it is waited for.
    if (this.#isReachable === false) {
      this.#told = this.#isTalkative ? 'starting' : undefined;
      this.#toldMs = now;
      this.#isAssumed = true;
      this.#goAway = undefined;
    }
    this.#isReachable = true;
    this.#hasBroken = false;
  }

  /** It took a new connection, and did not say GOAWAY there. */
  onGreeted(now: number): void {
    this.onConnected(now);
    this.#goAway = undefined;
    this.#silentMs = undefined;
  }

  onGoAway(goAway: GoAway, now: number): void {
    // Nothing new; and a new connection would not show that it has taken its own word back.
    if (this.#hasSaidLame) return;
    this.#goAway = goAway;
    this.#toldMs = now;
    this.#isAssumed = false;
  }

  onConnectFailed(): void {
    this.#isReachable = false;
    this.#hasBroken = false;
    // Whoever listens there next is another process.
    this.#silentMs = undefined;
  }

  /**
   * A connection broke with a request on it. A server that ends does that to all that are idle, one after the other: while
   * it is not known whether it is there, others are the better choice. True when that is new.
   */
  onBroken(): boolean {
    if (this.#isReachable !== true || this.#hasBroken) return false;
    this.#hasBroken = true;
    return true;
  }

  /** It no longer answers health checks, and not by HTTP either. */
  onSilent(now: number): void {
    if (this.#isTalkative && this.#isReachable !== false) this.#silentMs = now;
    this.onDoubt();
  }

  onVerdict(verdict: PageVerdict): void {
    this.#verdict = verdict;
  }

  /** It has answered a request. True when that changes something. */
  onAnswered(): boolean {
    if (!this.isSilent) return false;
    this.#silentMs = undefined;
    return true;
  }

  /** The last connection broke, or it has fallen silent: it may be gone. */
  onDoubt(): void {
    if (this.#isReachable === true) this.#isReachable = undefined;
  }

  /** Its own word, in answer to a health check: it can be asked again. */
  onHealth(state: GateState, now: number): void {
    this.#isTalkative = true;
    this.onTold(state, now);
  }

  /** What the headers of an answer say of it. */
  onTold(state: GateState, now: number): void {
    this.#told = state;
    this.#toldMs = now;
    this.#isAssumed = false;
    this.#goAway = undefined;
    this.#silentMs = undefined;
    this.#hasBroken = false;
    if (state === 'ready') this.#tryAgain();
  }

  onResolved(state: 'starting' | 'ready' | 'lame-duck'): void {
    const before = this.#resolved;
    this.#resolved = state === 'ready' ? undefined : state;
    if (state === 'ready' && before !== undefined) this.#tryAgain();
  }

  /** What it said, or did not say, does not hold for ever. True when that changes something. */
  forget(now: number): boolean {
    // Where something has come to swallow health checks, connections and answers are all there is to go by.
    if (this.#silentMs !== undefined && elapsedMs(this.#silentMs, now) >= WORD_MS) return this.onAnswered();
    const sinceMs = elapsedMs(this.#toldMs, now);
    const isStarting = this.#told === 'starting' && this.#isReachable === true;
    if (this.#isReachable === false || !(this.#isLame || isStarting) || this.isToBeGreeted) return false;
    const wordMs = this.#isTalkative ? WORD_MS : UNASKED_MS;
    if (sinceMs < (this.#isAssumed ? SILENT_START_MS : wordMs)) return false;
    if (this.#isLame) this.#isReachable = undefined;
    this.#told = undefined;
    this.#goAway = undefined;
    return true;
  }

  /** Whoever is said to be ready is there: worth a connection now, and not when the backoff is over. */
  #tryAgain(): void {
    if (this.#isReachable === false) this.#isReachable = undefined;
  }
}
