import { describe, expect, it } from 'vitest';
import { createRateRule } from '../stores/rate-store.js';
import { fallbackOf } from './fallback.js';

function share(localShare: number | undefined, options: { limit: number; burst?: number }) {
  const rule = createRateRule('r', { algorithm: 'gcra', windowMs: 1_000, ...options });
  return fallbackOf(rule, { onStoreFailure: 'refuse', localShare });
}

describe('fallbackOf', () => {
  it.each([
    [0.5, { limit: 10 }, 5, undefined],
    [1, { limit: 10, burst: 3 }, 10, 3],
    [0.25, { limit: 10, burst: 30 }, 2, 7],
    [0.01, { limit: 10, burst: 3 }, 1, 1],
    [1 / 49, { limit: 490 }, 10, undefined],
    [0.29, { limit: 100 }, 29, undefined],
  ])('gives %d of %j', (localShare, options, limit, burst) => {
    expect(share(localShare, options)).toMatchObject({
      choice: 'refuse',
      local: { name: 'r', options: { algorithm: 'gcra', windowMs: 1_000, limit, burst } },
    });
  });

  it('gives nothing when there is no share', () => {
    expect(share(undefined, { limit: 10 })).toEqual({ choice: 'refuse', local: undefined });
  });
});
