/** Over so long the share of busy time is taken, in slots: as a load report has its rates. */
const SLOTS = 10;
const SLOT_MS = 100;

/**
 * One worker that takes requests one after the other, in time that it reckons rather than uses: what a backend can do is
 * then its own, however many of them share the machine, and no timer that is late takes any of it away.
 */
export class Worker {
  readonly #costMs: number;
  #givenMs = 0;
  #freeMs = 0;
  /** Work done until each of the last slots, the oldest first. */
  readonly #history: { readonly atMs: number; readonly doneMs: number }[] = [];

  constructor(costMs: number) {
    this.#costMs = costMs;
  }

  /** When one that comes now is done. */
  take(now: number): number {
    this.#freeMs = Math.max(now, this.#freeMs) + this.#costMs;
    this.#givenMs += this.#costMs;
    return this.#freeMs;
  }

  /** Milliseconds of work done until now: all that was given, but what is still ahead. */
  doneMs(now: number): number {
    return this.#givenMs - Math.max(0, this.#freeMs - now);
  }

  /** To be called once a slot. */
  note(now: number): void {
    this.#history.push({ atMs: now, doneMs: this.doneMs(now) });
    if (this.#history.length > SLOTS) this.#history.shift();
  }

  /** Share of the last second in which it worked. */
  busyShare(now: number): number {
    const oldest = this.#history[0];
    if (oldest === undefined || now <= oldest.atMs) return 0;
    return Math.min(1, (this.doneMs(now) - oldest.doneMs) / (now - oldest.atMs));
  }

  /** Keeps its history for as long as the process lives. */
  watch(): void {
    setInterval(() => this.note(performance.now()), SLOT_MS).unref();
  }
}
