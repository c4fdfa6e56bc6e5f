import { elapsedMs } from '../../core/index.js';
import type { GuardedRequest } from '../guarded-request.js';

/**
 * Requests left by their clients while their handlers go on. What goes on goes on costing: each keeps its place until
 * it is through, as far as that can be seen.
 */
export class Orphans {
  /** And since when: the oldest first. */
  readonly #since = new Map<GuardedRequest, number>();

  add(request: GuardedRequest, now: number): void {
    this.#since.set(request, now);
  }

  /** False when it was none. */
  delete(request: GuardedRequest): boolean {
    return this.#since.delete(request);
  }

  /** Those that have been alone for longer than this. */
  olderThan(ms: number, now: number): GuardedRequest[] {
    const old: GuardedRequest[] = [];
    for (const [request, sinceMs] of this.#since) {
      if (elapsedMs(sinceMs, now) <= ms) break;
      old.push(request);
    }
    return old;
  }
}
