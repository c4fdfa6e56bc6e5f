import { describe, expect, it } from 'vitest';
import { AttemptHistogram } from './attempt-histogram.js';

describe('AttemptHistogram', () => {
  it('tells first attempts from retries', () => {
    const histogram = new AttemptHistogram();
    for (let i = 0; i < 95; i++) histogram.record(0, 1);
    for (let i = 0; i < 4; i++) histogram.record(500, 2);
    histogram.record(1_000, 3);
    expect(histogram.counts(1_000)).toEqual([95, 4, 1]);
    expect(histogram.count(1_000, 2)).toBe(4);
    expect(histogram.total(1_000)).toBe(100);
    expect(histogram.retryShare(1_000)).toBe(0.05);
  });

  it('forgets: the window is ten seconds unless told', () => {
    const histogram = new AttemptHistogram();
    histogram.record(0, 2);
    histogram.record(5_000, 1);
    expect(histogram.retryShare(10_999)).toBe(0.5);
    expect(histogram.retryShare(11_000)).toBe(0);
    expect(histogram.counts(11_000)).toEqual([1, 0, 0]);
    const short = new AttemptHistogram({ windowMs: 100, slots: 2 });
    short.record(0, 2);
    expect(short.total(149)).toBe(1);
    expect(short.total(150)).toBe(0);
  });

  it('is empty after an idle hour', () => {
    const histogram = new AttemptHistogram();
    expect(histogram.retryShare(0)).toBe(0);
    for (const attempt of [1, 2, 3]) histogram.record(0, attempt);
    expect(histogram.counts(3_600_000)).toEqual([0, 0, 0]);
    expect(histogram.total(3_600_000)).toBe(0);
    expect(histogram.retryShare(3_600_000)).toBe(0);
  });

  it('counts what is above the last attempt, or impossible, as the nearest possible', () => {
    const histogram = new AttemptHistogram({ maxAttempt: 4 });
    for (const attempt of [4, 5, 1e9, Number.POSITIVE_INFINITY]) histogram.record(0, attempt);
    expect(histogram.counts(0)).toEqual([0, 0, 0, 4]);
    for (const attempt of [0, -1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY]) histogram.record(0, attempt);
    expect(histogram.counts(0)).toEqual([5, 0, 0, 4]);
    histogram.record(0, 2.9);
    expect(histogram.counts(0)).toEqual([5, 1, 0, 4]);
    expect(histogram.count(0, 99)).toBe(4);
    expect(histogram.count(0, 0)).toBe(5);
  });

  it('refuses what is impossible', () => {
    expect(() => new AttemptHistogram({ maxAttempt: 1 })).toThrow(
      'maxAttempt must be an integer >= 2, got 1',
    );
    expect(() => new AttemptHistogram({ windowMs: 0 })).toThrow(
      'windowMs must be a finite number > 0, got 0',
    );
    expect(() => new AttemptHistogram({ slots: 0 })).toThrow('slots must be an integer >= 1, got 0');
  });
});
