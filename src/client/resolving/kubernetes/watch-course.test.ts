import { describe, expect, it } from 'vitest';
import { WatchCourse } from './watch-course.js';

function courseAt(resourceVersion?: string): WatchCourse {
  const course = new WatchCourse({ retryMinMs: 1_000, retryMaxMs: 30_000, refreshGapMs: 10_000 }, () => 1);
  if (resourceVersion !== undefined) course.listed(resourceVersion);
  return course;
}

it('lists, then watches from there, then from what it saw last', () => {
  const course = courseAt();
  expect(course.resourceVersion).toBeUndefined();
  course.listed('5');
  expect(course.resourceVersion).toBe('5');
  course.saw('9');
  expect(course.resourceVersion).toBe('9');
});

describe('a watch that ends', () => {
  it('is followed by the next at once', () => {
    const course = courseAt('5');
    expect(course.ended(300_000)).toBe(0);
    expect(course.resourceVersion).toBe('5');
  });

  it('too soon is followed later and later', () => {
    const course = courseAt('5');
    expect([1, 2, 3].map(() => course.ended(10))).toEqual([1_000, 2_000, 4_000]);
    course.ended(300_000);
    expect(course.ended(10)).toBe(1_000);
  });

  it('after an event counts as the first failure again', () => {
    const course = courseAt('5');
    course.failed();
    course.failed();
    course.saw('6');
    expect(course.ended(10)).toBe(1_000);
  });
});

describe('a failure', () => {
  it.each([0, 500, 503, 401, 403, 408, 429])(
    'of status %d watches on from the same version, later',
    (status) => {
      const course = courseAt('5');
      expect(course.failed(status)).toBe(1_000);
      expect(course.failed(status)).toBe(2_000);
      expect(course.resourceVersion).toBe('5');
    },
  );

  it.each([410, 400, 404])('of status %d lists again, later', (status) => {
    const course = courseAt('5');
    expect(course.failed(status)).toBe(1_000);
    expect(course.resourceVersion).toBeUndefined();
    // A list that works says nothing of the watch.
    course.listed('6');
    expect(course.failed(status)).toBe(2_000);
  });

  it('again and again lists again', () => {
    const course = courseAt('5');
    for (let i = 0; i < 4; i++) course.failed(500);
    expect(course.resourceVersion).toBe('5');
    course.failed(500);
    expect(course.resourceVersion).toBeUndefined();
  });
});

it('lists again when asked to, at most once in a while', () => {
  const course = courseAt();
  course.beginList(0);
  course.listed('5');
  expect(course.tryRefresh(9_999)).toBe(false);
  expect(course.resourceVersion).toBe('5');
  expect(course.tryRefresh(10_000)).toBe(true);
  expect(course.resourceVersion).toBeUndefined();
  expect(course.tryRefresh(10_001)).toBe(false);
});
