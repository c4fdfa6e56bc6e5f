import { type CapacityAsk, type CapacityGrant, elapsedMs } from '../core/index.js';

/** Whoever has a lease: a limiter, or a server below another. */
export interface Asker {
  readonly askAtMs: number;
  ask(now: number): CapacityAsk;
  granted(now: number, turn: number, grant: CapacityGrant): boolean;
  failed(now: number, turn: number): void;
}

/** Asks whenever it is due, by one timer that keeps nobody alive. */
export class AskLoop {
  readonly #asker: Asker;
  readonly #send: (ask: CapacityAsk) => Promise<CapacityGrant | undefined>;
  readonly #onGranted: () => void;
  #timer: NodeJS.Timeout | undefined = undefined;
  #timerMs = Number.POSITIVE_INFINITY;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;
  asks = 0;
  failures = 0;

  constructor(
    asker: Asker,
    send: (ask: CapacityAsk) => Promise<CapacityGrant | undefined>,
    onGranted: () => void,
  ) {
    this.#asker = asker;
    this.#send = send;
    this.#onGranted = onGranted;
  }

  /** To be called whenever something has happened: it may be due sooner now. */
  look(): void {
    if (this.#isStopped) return;
    const now = performance.now();
    const atMs = this.#asker.askAtMs;
    if (atMs <= now) {
      this.#setTimer(Number.POSITIVE_INFINITY, now);
      this.#underWay = this.#ask(now);
    } else if (atMs !== this.#timerMs) this.#setTimer(atMs, now);
  }

  /** Resolves when the ask that is under way, if any, is over. */
  stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    return this.#underWay;
  }

  async #ask(now: number): Promise<void> {
    const ask = this.#asker.ask(now);
    this.asks++;
    const grant = await this.#send(ask);
    if (grant === undefined) {
      this.failures++;
      this.#asker.failed(performance.now(), ask.turn);
    } else if (this.#asker.granted(performance.now(), ask.turn, grant)) this.#onGranted();
    this.look();
  }

  #setTimer(atMs: number, now: number): void {
    clearTimeout(this.#timer);
    this.#timerMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const onTimer = () => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      this.look();
    };
    this.#timer = setTimeout(onTimer, Math.ceil(elapsedMs(now, atMs))).unref();
  }
}
