import type { LoadReport } from '../../core/index.js';

export type ProbeCallback = (report: LoadReport | undefined) => void;

interface Probe<B> {
  readonly backend: B;
  readonly expiresMs: number;
  readonly callback: ProbeCallback;
}

/**
 * Probes that wait for an answer, so many at most. Adding and answering cost a look into a map. Those that nobody answers
 * are found by going through all, but not before the first can have expired, and there are few: a queue in order of
 * expiry would have to keep those that were answered long ago.
 */
export class ProbeBook<B> {
  readonly #max: number;
  readonly #probes = new Map<number, Probe<B>>();
  /** No probe expires before. */
  #earliestMs = Number.POSITIVE_INFINITY;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#probes.size;
  }

  get isFull(): boolean {
    return this.#probes.size >= this.#max;
  }

  get dueMs(): number {
    return this.#earliestMs;
  }

  add(sequence: number, backend: B, expiresMs: number, callback: ProbeCallback): void {
    this.#probes.set(sequence, { backend, expiresMs, callback });
    if (expiresMs < this.#earliestMs) this.#earliestMs = expiresMs;
  }

  isOpen(sequence: number, backend: B): boolean {
    return this.#probes.get(sequence)?.backend === backend;
  }

  /** False when this backend was not asked under that number, or has answered. */
  answer(sequence: number, backend: B, report: LoadReport | undefined): boolean {
    const probe = this.#probes.get(sequence);
    if (probe?.backend !== backend) return false;
    this.#probes.delete(sequence);
    probe.callback(report);
    return true;
  }

  expire(now: number): void {
    if (now < this.#earliestMs) return;
    this.#earliestMs = Number.POSITIVE_INFINITY;
    const expired: Probe<B>[] = [];
    for (const [sequence, probe] of this.#probes) {
      if (probe.expiresMs > now) this.#earliestMs = Math.min(this.#earliestMs, probe.expiresMs);
      else if (this.#probes.delete(sequence)) expired.push(probe);
    }
    // Called when the book is right again: whoever hears of it may probe at once.
    for (const { callback } of expired) callback(undefined);
  }

  /** The same for all that wait for this backend; for all there are, when none is named. */
  answerAll(backend: B | undefined, report: LoadReport | undefined): void {
    const answered: Probe<B>[] = [];
    for (const [sequence, probe] of this.#probes) {
      if (backend !== undefined && probe.backend !== backend) continue;
      this.#probes.delete(sequence);
      answered.push(probe);
    }
    if (this.#probes.size === 0) this.#earliestMs = Number.POSITIVE_INFINITY;
    for (const { callback } of answered) callback(report);
  }
}
