import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { LatencyMoments } from './concurrency-limit-moments.js';

describe('LatencyMoments', () => {
  test('the plain mean of the first', () => {
    const moments = new LatencyMoments();
    for (const latencyMs of [10, 20, 60]) moments.observe(latencyMs);
    expect(moments.meanMs).toBeCloseTo(30, 10);
    // Squares 100, 400, 3600: mean 1366.7, less 900, by 900.
    expect(moments.variation).toBeCloseTo(0.5185, 4);
  });

  test('no variation in constant times, 1 in exponential ones', () => {
    const moments = new LatencyMoments();
    for (let i = 0; i < 2_000; i++) moments.observe(20);
    expect(moments.variation).toBeCloseTo(0, 10);
    const random = new SeededRandom(1);
    for (let i = 0; i < 20_000; i++) moments.observe(-20 * Math.log(1 - random.next()));
    expect(moments.meanMs).toBeCloseTo(20, -1);
    expect(moments.variation).toBeGreaterThan(0.7);
    expect(moments.variation).toBeLessThan(1.3);
  });

  test('one in ten that takes 40 times as long: more than 10', () => {
    const moments = new LatencyMoments();
    const random = new SeededRandom(2);
    let sum = 0;
    for (let i = 0; i < 20_000; i++) {
      moments.observe((random.next() < 0.1 ? 200 : 5) * -Math.log(1 - random.next()));
      if (i >= 2_000) sum += moments.variation;
    }
    // The moments of the mixture say 12.4; a memory of 500 reads a little low.
    expect(sum / 18_000).toBeGreaterThan(10);
    expect(sum / 18_000).toBeLessThan(13);
  });

  test('forgets what is more than some 500 requests ago', () => {
    const moments = new LatencyMoments();
    for (let i = 0; i < 10_000; i++) moments.observe(1_000);
    for (let i = 0; i < 500; i++) moments.observe(0);
    expect(moments.meanMs).toBeGreaterThan(300);
    expect(moments.meanMs).toBeLessThan(400);
    for (let i = 0; i < 5_000; i++) moments.observe(0);
    expect(moments.meanMs).toBeLessThan(1);
  });

  test('nothing known, or no time taken: no variation', () => {
    const moments = new LatencyMoments();
    expect(moments.meanMs).toBe(0);
    expect(moments.variation).toBe(0);
    moments.observe(0);
    expect(moments.variation).toBe(0);
  });

  test('is as new when cleared', () => {
    const moments = new LatencyMoments();
    for (let i = 0; i < 100; i++) moments.observe(i);
    moments.clear();
    expect(moments.meanMs).toBe(0);
    moments.observe(8);
    expect(moments.meanMs).toBe(8);
    expect(moments.variation).toBe(0);
  });
});
