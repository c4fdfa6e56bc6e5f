import { elapsedMs, type Random } from '../../../core/index.js';
import { Backoff } from '../backoff.js';

export interface WatchCourseOptions {
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  readonly refreshGapMs: number;
}

/** So many failures in a row, and the version may be what is wrong: it begins anew. */
const FAILURES_UNTIL_LIST = 5;

/** A watch that lasted so long was a good one: the next may follow at once. */
const STEADY_MS = 5_000;

/** Answers that say nothing of the version that was asked for. */
const NOT_THE_VERSION = [401, 403, 408, 429];

/**
 * The course of list and watch: list all, then watch what changes since; when a watch ends, watch on from the last
 * version seen; when that version is too old, or something was lost, list again. Every way back but the usual one waits.
 */
export class WatchCourse {
  readonly #refreshGapMs: number;
  readonly #backoff: Backoff;
  #resourceVersion: string | undefined;
  #listedMs = Number.NEGATIVE_INFINITY;

  constructor(options: WatchCourseOptions, random: Random) {
    this.#refreshGapMs = options.refreshGapMs;
    this.#backoff = new Backoff(options.retryMinMs, options.retryMaxMs, random);
  }

  /** The version to watch from; undefined: list. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  beginList(now: number): void {
    this.#listedMs = now;
  }

  listed(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /** An event or a bookmark of this version came: the watch works. */
  saw(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    this.#backoff.reset();
  }

  /** A watch that ended as watches do. How long to wait: not at all, unless it was a short one. */
  ended(openMs: number): number {
    if (openMs < STEADY_MS) return this.#backoff.next();
    this.#backoff.reset();
    return 0;
  }

  /** A list or a watch that failed, with the status of the answer if there was one. How long to wait. */
  failed(status = 0): number {
    const isOfVersion = status >= 400 && status < 500 && !NOT_THE_VERSION.includes(status);
    const waitMs = this.#backoff.next();
    if (isOfVersion || this.#backoff.failures % FAILURES_UNTIL_LIST === 0) this.lose();
    return waitMs;
  }

  /** What is known may not be all. */
  lose(): void {
    this.#resourceVersion = undefined;
  }

  /** Somebody doubts what was told. Whether to list again now. */
  tryRefresh(now: number): boolean {
    if (elapsedMs(this.#listedMs, now) < this.#refreshGapMs) return false;
    this.#listedMs = now;
    this.lose();
    return true;
  }
}
