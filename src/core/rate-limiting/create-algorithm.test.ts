import { describe, expect, it } from 'vitest';
import { createAlgorithm, createInPlaceAlgorithm } from './create-algorithm.js';
import { ALGORITHM_NAMES } from './rate-algorithm.js';
import type { RateLimitOptions } from './rate-limit-options.js';

describe('createAlgorithm', () => {
  it('makes each by its name, with the limit as what passes at once', () => {
    for (const algorithm of ALGORITHM_NAMES) {
      const made = createAlgorithm({ algorithm, limit: 7, windowMs: 1_000 });
      expect(made.name).toBe(algorithm);
      expect(made.peek(undefined, 0, 7)).toMatchObject({ allowed: true, limit: 7, remaining: 0 });
      expect(createInPlaceAlgorithm({ algorithm, limit: 7, windowMs: 1_000 }).name).toBe(algorithm);
    }
  });

  it('gives buckets and gcra a burst of their own, and windows none', () => {
    for (const algorithm of ['token-bucket', 'leaking-bucket', 'gcra'] as const) {
      const made = createAlgorithm({ algorithm, limit: 7, windowMs: 1_000, burst: 20 });
      expect(made.peek(undefined, 0, 20)).toMatchObject({ allowed: true, limit: 20 });
    }
    for (const algorithm of ['fixed-window', 'sliding-log', 'sliding-counter'] as const) {
      const make = (burst: number) => () => createAlgorithm({ algorithm, limit: 7, windowMs: 1_000, burst });
      expect(make(7)).not.toThrow();
      expect(make(8)).toThrow(`burst must be the limit with ${algorithm}, got 8`);
    }
  });

  it('refuses options that cannot be, or that it would not obey', () => {
    const make = (options: object) => () =>
      createAlgorithm({
        algorithm: 'token-bucket',
        limit: 7,
        windowMs: 1_000,
        ...options,
      } as RateLimitOptions);
    expect(make({ algorithm: 'leaky' })).toThrow(
      'algorithm must be one of token-bucket, leaking-bucket, fixed-window, sliding-log, sliding-counter, gcra, got "leaky"',
    );
    expect(make({ window: 5 })).toThrow(
      'rateLimit has no option "window"; it has algorithm, limit, windowMs, burst, countRefused',
    );
    expect(make({ countRefused: true })).toThrow('countRefused must be false with token-bucket, got true');
    expect(make({ algorithm: 'sliding-log', countRefused: 1 })).toThrow(
      'countRefused must be true or false, got 1',
    );
    expect(make({ algorithm: 'sliding-log', countRefused: true })).not.toThrow();
    expect(make({ burst: 0 })).toThrow('burst must be an integer from 1 to');
    expect(make({ burst: undefined })).not.toThrow();
  });
});
