import { AsyncResource } from 'node:async_hooks';
import { elapsedMs } from '../../core/index.js';
import type { GuardedRequest } from '../guarded-request.js';

/**
 * Between two looks at the sockets about this much is started. One request at a time costs `hello world` a fifth; with
 * 1 ms nothing can be measured, and excess is still refused within milliseconds.
 */
const SLICE_MS = 1;

/**
 * While nobody waits it may be more: 50 clients that wait for each other's answers send together, and to queue the half
 * of 50 × 20 µs costs 1 µs for each.
 */
const MOST_AT_ONCE_MS = 2;

/**
 * Below this nobody counts: to be told that the loop has come around costs 1.5 µs, which a `hello world` that comes
 * alone would pay for itself.
 */
const FREE_MS = SLICE_MS / 4;

/**
 * Node accepts one new connection each time around its loop. While they come, it goes around this often between two
 * slices: a thousand connections are then accepted in the time of fifty requests and not of a thousand.
 */
const ROUNDS_FOR_CONNECTIONS = 20;

export interface RunLoopParts {
  /** The next to run; undefined when none waits, or no more may run. */
  readonly take: (now: number) => GuardedRequest | undefined;
  readonly waiting: () => number;
  readonly start: (request: GuardedRequest) => void;
  readonly now: () => number;
  /** Once around the loop while there is work: for what must be looked at in time. */
  readonly onTurn: (now: number) => void;
  /** Some wait, and no more may run: looked at every few milliseconds while it stays so. */
  readonly onBlocked: (now: number) => void;
}

/** Of what one slice tells: a service that becomes ten times slower is seen as such after some slices. */
const LEARNING_RATE = 0.3;

/** Who waits in vain hears of it no later than this. */
const BLOCKED_MS = 20;

/**
 * Starts requests a slice at a time, so that the loop gets around to its sockets while the process is saturated: what is
 * too much is then refused at once instead of waiting unread in a buffer (docs/architecture.md).
 */
export class RunLoop {
  readonly #parts: RunLoopParts;
  readonly #turn = () => this.#onTurn();
  #isScheduled = false;
  /** Started since the loop last came around, or a little more: see FREE_MS. */
  #usedMs = 0;
  #newConnections = 0;
  #rounds = 0;
  #isInSlice = false;
  #mayGoOn = true;
  /** When one was started that goes on, and is not counted yet. */
  #goingOnSinceMs: number | undefined = undefined;
  /**
   * What those that go on after their start take right then, on average: a whole slice each, until it is known. How many
   * the last slice had, and its end.
   */
  #goingOnMs = SLICE_MS;
  #goingOn = 0;
  #sliceEndMs = 0;
  readonly #after = () => this.#afterSlice();
  #blockedTimer: NodeJS.Timeout | undefined = undefined;
  readonly #blocked = () => this.#onBlocked();

  constructor(parts: RunLoopParts) {
    this.#parts = parts;
  }

  /** Whether a request that comes now may run at once, if nobody waits. */
  isIdle(now: number): boolean {
    if (this.#goingOnSinceMs !== undefined) this.#usedMs += elapsedMs(this.#goingOnSinceMs, now);
    this.#goingOnSinceMs = undefined;
    return this.#usedMs < MOST_AT_ONCE_MS && !this.#isInSlice;
  }

  /** One that came while idle, and need not wait. */
  runNow(request: GuardedRequest, nowMs: number): void {
    const { start, now } = this.#parts;
    this.#isInSlice = true;
    try {
      start(request);
    } finally {
      this.#isInSlice = false;
      // Its promises go on when we return. How long that takes is seen when the next one comes, or the loop comes around.
      if (request.state === 'running') this.#goingOnSinceMs = nowMs;
      else this.#usedMs += elapsedMs(nowMs, now());
      if (request.state === 'running' || this.#usedMs >= FREE_MS) this.wake();
    }
  }

  /** A request waits for its turn. */
  submit(request: GuardedRequest): void {
    // It will run in somebody else's, and must find its own async context there.
    request.resource ??= new AsyncResource('PLIMSOLL_REQUEST');
    this.wake();
  }

  /** Something may run that could not before. */
  wake(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
    // In between Node runs what the slice has left behind, to the last promise.
    if (this.#mayGoOn) setImmediate(this.#after);
  }

  #afterSlice(): void {
    if (this.#goingOn === 0) return;
    const eachMs = elapsedMs(this.#sliceEndMs, this.#parts.now()) / this.#goingOn;
    this.#goingOn = 0;
    this.#goingOnMs += (eachMs - this.#goingOnMs) * LEARNING_RATE;
  }

  onConnection(): void {
    this.#newConnections++;
  }

  #onTurn(): void {
    this.#isScheduled = false;
    const now = this.#parts.now();
    this.#parts.onTurn(now);
    if (this.#newConnections > 0 && this.#rounds < ROUNDS_FOR_CONNECTIONS && this.#parts.waiting() > 0) {
      this.#newConnections = 0;
      this.#rounds++;
      this.wake();
      return;
    }
    // What has waited for connections gets some of that time back.
    const sliceMs = this.#rounds > 0 ? SLICE_MS * 3 : SLICE_MS;
    this.#newConnections = this.#rounds = 0;
    this.#usedMs = 0;
    this.#goingOnSinceMs = undefined;
    if (this.#parts.waiting() > 0) this.#slice(now, sliceMs);
    // Once more even if nobody waits now, when the slice is used up: whoever comes meanwhile waits for a new one.
    if (this.#usedMs >= SLICE_MS) this.wake();
  }

  #watch(): void {
    this.#blockedTimer ??= setTimeout(this.#blocked, BLOCKED_MS).unref();
  }

  #onBlocked(): void {
    this.#blockedTimer = undefined;
    if (this.#parts.waiting() === 0) return;
    this.#parts.onBlocked(this.#parts.now());
    if (this.#parts.waiting() === 0) return;
    // Somebody's place may be free now; if not, the slice watches on.
    this.wake();
  }

  #slice(startedMs: number, sliceMs: number): void {
    const { take, start, now } = this.#parts;
    let nowMs = startedMs;
    let isBlocked = false;
    let expectedMs = 0;
    this.#goingOn = 0;
    this.#isInSlice = true;
    try {
      do {
        const request = take(nowMs);
        // None waits, or no more may run: the end of one that does wakes us.
        isBlocked = request === undefined;
        if (isBlocked && this.#parts.waiting() > 0) this.#watch();
        if (request === undefined) return;
        start(request);
        nowMs = now();
        if (request.state === 'running') {
          this.#goingOn++;
          expectedMs += this.#goingOnMs;
        }
      } while (expectedMs + elapsedMs(startedMs, nowMs) < sliceMs);
    } finally {
      // Also when a handler throws: those that wait must not wait for the next arrival.
      this.#isInSlice = false;
      this.#mayGoOn = this.#goingOn > 0;
      this.#sliceEndMs = nowMs;
      this.#usedMs += expectedMs + elapsedMs(startedMs, nowMs);
      if (this.#usedMs >= SLICE_MS || (!isBlocked && this.#parts.waiting() > 0)) this.wake();
    }
  }
}
