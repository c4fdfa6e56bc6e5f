import { expect, it } from 'vitest';
import { SeededRandom } from '../../../core/index.js';
import { Arrivals } from './arrivals.js';

function countUntil(arrivals: Arrivals, now: number): number {
  let count = 0;
  while (arrivals.take(now)) count++;
  return count;
}

function arrivalsOf(seed: number): Arrivals {
  const seeded = new SeededRandom(seed);
  return new Arrivals(() => seeded.next());
}

it('has none before it is told how many', () => {
  const arrivals = arrivalsOf(1);
  expect(arrivals.nextMs).toBe(Number.POSITIVE_INFINITY);
  expect(arrivals.take(1e9)).toBe(false);
});

it('has as many as it was told, however late it is asked', () => {
  const arrivals = arrivalsOf(2);
  arrivals.setRate(1_000, 0);
  const [late, soon] = [countUntil(arrivals, 10_000), countUntil(arrivals, 10_010)];
  // 10,000 ± 3 · 100.
  expect(Math.abs(late - 10_000)).toBeLessThan(300);
  expect(soon).toBeLessThan(30);
});

it('has gaps of all lengths', () => {
  const arrivals = arrivalsOf(3);
  arrivals.setRate(100, 0);
  const gaps: number[] = [];
  for (let lastMs = 0; gaps.length < 1_000; ) {
    const dueMs = arrivals.nextMs;
    gaps.push(dueMs - lastMs);
    arrivals.take(dueMs);
    lastMs = dueMs;
  }
  // Of an exponential distribution 1/e is longer than the mean.
  expect(gaps.filter((gap) => gap > 10).length / gaps.length).toBeCloseTo(Math.exp(-1), 1);
});

it('goes over to another rate, or to none, at once', () => {
  const arrivals = arrivalsOf(4);
  arrivals.setRate(0.001, 0);
  arrivals.setRate(1_000, 5_000);
  expect(arrivals.nextMs).toBeLessThan(5_100);
  arrivals.setRate(0, 5_000);
  expect(arrivals.take(1e9)).toBe(false);
});
