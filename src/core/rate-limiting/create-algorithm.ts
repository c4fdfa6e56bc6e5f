import { Bucket } from './bucket.js';
import { FixedWindow } from './fixed-window.js';
import { Gcra } from './gcra.js';
import { type InPlaceAlgorithm, pureAlgorithm } from './in-place-algorithm.js';
import type { RateAlgorithm } from './rate-algorithm.js';
import { checkRateLimit, type RateLimitOptions } from './rate-limit-options.js';
import { SlidingCounter } from './sliding-counter.js';
import { SlidingLog } from './sliding-log.js';

/** The algorithm as pure functions. */
export function createAlgorithm(options: RateLimitOptions): RateAlgorithm {
  return pureAlgorithm(createInPlaceAlgorithm(options));
}

/** The same algorithm for a store that keeps states where they are. */
export function createInPlaceAlgorithm(options: RateLimitOptions): InPlaceAlgorithm {
  const checked = checkRateLimit(options);
  switch (checked.algorithm) {
    case 'token-bucket':
    case 'leaking-bucket':
      return new Bucket(checked.algorithm, checked);
    case 'fixed-window':
      return new FixedWindow(checked);
    case 'sliding-log':
      return new SlidingLog(checked);
    case 'sliding-counter':
      return new SlidingCounter(checked);
    case 'gcra':
      return new Gcra(checked);
  }
}
