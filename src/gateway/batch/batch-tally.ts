import type { JobReading, PaceReading } from '../../core/index.js';
import type { BatchRefusal } from './batch-answers.js';

/** What became of requests so far. */
export interface BatchCounts {
  /** Sent on. */
  readonly forwarded: number;
  /** Left by their clients before their turn. */
  readonly left: number;
  readonly refused: Readonly<Record<BatchRefusal, number>>;
}

export class BatchTally {
  forwarded = 0;
  left = 0;
  readonly #refused: Record<BatchRefusal, number> = {
    'queue-full': 0,
    'job-full': 0,
    'bodies-full': 0,
    waited: 0,
    late: 0,
    closed: 0,
  };

  onRefused(refusal: BatchRefusal): void {
    this.#refused[refusal]++;
  }

  counts(): BatchCounts {
    const { forwarded, left } = this;
    return { forwarded, left, refused: { ...this.#refused } };
  }
}

/** What a batch proxy does and why, as plain data. */
export interface BatchSnapshot {
  readonly waiting: number;
  readonly underWay: number;
  /** Sent on, and held up by nothing but their clients. */
  readonly slow: number;
  /** Bytes of bodies in memory of those that wait. */
  readonly heldBytes: number;
  /** Jobs that are told apart now; `jobs` has those with the most waiting. */
  readonly jobCount: number;
  readonly jobs: readonly JobReading[];
  readonly pace: PaceReading;
  readonly counts: BatchCounts;
}
