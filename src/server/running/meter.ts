import { runInRequest } from '../../context/index.js';
import type { GuardedRequest } from '../guarded-request.js';

/** Measures what requests cost. */
export interface Meter {
  /** Calls `work(a, b)` as work for the request, and all that it starts. */
  run<A, B>(request: GuardedRequest, work: (a: A, b: B) => void, a: A, b: B): void;
  /** CPU-milliseconds the request has cost up to now. */
  finish(request: GuardedRequest): number;
}

export const plainMeter: Meter = {
  run(request, work, a, b) {
    runInRequest(request, work, a, b);
  },
  finish() {
    return 0;
  },
};
