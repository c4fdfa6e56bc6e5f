import { describe, expect, it } from 'vitest';
import { RefusalSums } from './refusal-sums.js';

const options = { windowMs: 1_000, linesPerWindow: 2, mostSums: 3 };

describe('RefusalSums', () => {
  it('lets the first of a second have lines, and adds up the rest', () => {
    const sums = new RefusalSums(options);
    const admitted = [0, 1, 2, 3, 999].map((now) => sums.admit('utilization', 'api', 'CRITICAL', now));
    expect(admitted).toEqual([true, true, false, false, false]);
    sums.admit('queue', 'api', 'CRITICAL', 999);
    expect(sums.take()).toEqual([
      { reason: 'utilization', route: 'api', criticality: 'CRITICAL', count: 3 },
      { reason: 'queue', route: 'api', criticality: 'CRITICAL', count: 1 },
    ]);
    expect(sums.take()).toEqual([]);
    expect(sums.admit('utilization', 'api', 'CRITICAL', 1_000)).toBe(true);
  });

  it('has room for the first of a second after an hour of none', () => {
    const sums = new RefusalSums(options);
    for (let i = 0; i < 5; i++) sums.admit('queue', 'api', 'CRITICAL', i);
    expect(sums.admit('queue', 'api', 'CRITICAL', 3_600_000)).toBe(true);
  });

  it('is bounded, and loses no count', () => {
    const sums = new RefusalSums(options);
    for (let i = 0; i < 102; i++) sums.admit('no-route', `route ${i}`, 'SHEDDABLE', 0);
    const taken = sums.take();
    expect(taken).toHaveLength(4);
    expect(taken[0]).toEqual({ reason: '(other)', route: '(other)', criticality: '(other)', count: 97 });
    expect(taken.reduce((total, { count }) => total + count, 0)).toBe(100);
  });
});
