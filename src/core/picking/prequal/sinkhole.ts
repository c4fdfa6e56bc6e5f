/**
 * A backend that fails fast looks ideal to whoever balances by latency: nothing in flight, answers at once. It draws
 * all the traffic and fails it, a sinkhole. So failures are remembered here, apart from the probes, and put a backend
 * out of use for a while that doubles each time.
 */
export const SINKHOLE = Object.freeze({
  // 1 s doubling to 30 s: a blip costs a second, a broken backend is tried twice a minute.
  firstMs: 1_000,
  longestMs: 30_000,
  // More than half failing: beyond that an answer from it is not even a coin toss.
  failingShare: 0.5,
  // Each outcome moves the share by a fifth. From a clean record four failures in a row are needed; a rare error,
  // common to all backends of a service, puts none of them out. Without a record the first outcome is all there is.
  step: 0.2,
  // Below this (about seven successes after the last failure at 0.5) the record is clean and the doubling starts over.
  cleanShare: 0.1,
});

/** What this client has seen of one backend's failures. */
export class FailureRecord {
  #share: number | undefined;
  #ejections = 0;
  #ejectedUntilMs = Number.NEGATIVE_INFINITY;

  isEjected(now: number): boolean {
    return now < this.#ejectedUntilMs;
  }

  onSuccess(): void {
    if (this.#share === 0) return;
    this.#share = (this.#share ?? 0) * (1 - SINKHOLE.step);
    if (this.#share >= SINKHOLE.cleanShare) return;
    this.#share = 0;
    this.#ejections = 0;
  }

  /** True when more than half of what it did lately failed: it should be put out of use. */
  onFailure(): boolean {
    this.#share = this.#share === undefined ? 1 : this.#share + (1 - this.#share) * SINKHOLE.step;
    return this.#share > SINKHOLE.failingShare;
  }

  eject(now: number): void {
    this.#ejectedUntilMs = now + Math.min(SINKHOLE.firstMs * 2 ** this.#ejections, SINKHOLE.longestMs);
    this.#ejections++;
  }
}

/**
 * A backend that refuses everything looks ideal too: idle, and without a latency, which otherwise is a reason to try
 * it. A refusal is no failure and puts nobody out of use; but for a while, doubling each time, having no latency is then
 * no recommendation. One that serves anything has a latency, and is judged by it.
 */
export class RefusalRecord {
  #refusals = 0;
  #distrustedUntilMs = Number.NEGATIVE_INFINITY;

  isDistrusted(now: number): boolean {
    return now < this.#distrustedUntilMs;
  }

  onServed(): void {
    this.#refusals = 0;
  }

  onRefused(now: number): void {
    // One burst of refusals is one.
    if (this.isDistrusted(now)) return;
    this.#distrustedUntilMs = now + Math.min(SINKHOLE.firstMs * 2 ** this.#refusals, SINKHOLE.longestMs);
    this.#refusals++;
  }
}
