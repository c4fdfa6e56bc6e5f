import { describe, expect, it } from 'vitest';
import { byName, reasonName } from './reasons.js';
import { whyRefused } from './why-refused.js';

describe('why somebody was refused', () => {
  it('is told with the numbers of that moment', () => {
    const decision = {
      atMs: 0,
      reason: 'utilization',
      criticality: 'SHEDDABLE',
      signal: 'queue pressure',
      utilization: 0.912,
      refuseFrom: 0.7,
    } as const;
    expect(whyRefused(decision)).toBe(
      'Queue pressure was at 0.91 of its target, and SHEDDABLE is refused from 0.70 on.',
    );
    expect(whyRefused({ ...decision, isOnlyReported: true })).toContain('It was let in');
  });

  it('says when to come again', () => {
    expect(
      whyRefused({ atMs: 0, reason: 'limited', limit: 'per-customer', key: 'acme', retryAfterMs: 12_000 }),
    ).toBe('per-customer has nothing left for acme. Room again in 12 s.');
  });

  it('has words for the queue, and for reasons nobody has thought of', () => {
    expect(whyRefused({ atMs: 0, reason: 'queue', waiting: 48, inFlight: 64, concurrencyLimit: 16.4 })).toBe(
      'It would have waited too long: 48 waiting, 64 in flight, at most 16 run at once.',
    );
    expect(whyRefused({ atMs: 0, reason: 'PLIMSOLL_NEW_THING' })).toBe('New thing.');
  });

  it('adds reasons that have one name', () => {
    expect(byName({ backend: 2, PLIMSOLL_OVERLOADED: 3, queue: 1 })).toEqual({
      'refused by backends': 5,
      'queue too long': 1,
    });
    expect(reasonName('job-full')).toBe('job full');
  });
});
