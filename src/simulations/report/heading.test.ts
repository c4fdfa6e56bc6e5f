import { expect, it } from 'vitest';
import { headingOf } from './heading.js';

it.each([
  ['policy', 'policy'],
  ['p99Ms', 'p99 ms'],
  ['p999Ms', 'p999 ms'],
  ['goodputPerSecond', 'goodput/s'],
  ['drainedPerMinute', 'drained/min'],
  ['cpuSeconds', 'cpu s'],
  ['heapBytes', 'heap B'],
  ['cpuPercent', 'cpu %'],
  ['minOverMean', 'min/mean'],
  ['cpuOverMean', 'cpu/mean'],
  ['attemptsOverRequests', 'attempts/requests'],
  ['movedOnJoin', 'moved on join'],
  ['Ms', 'ms'],
  ['carryOver', 'carry over'],
])('%s → %s', (field, text) => {
  expect(headingOf(field)).toEqual({ text, isShare: false });
});

it('knows shares by their name', () => {
  expect(headingOf('refusedShare')).toEqual({ text: 'refused', isShare: true });
  expect(headingOf('failedByDeadlineShare')).toEqual({ text: 'failed by deadline', isShare: true });
  expect(headingOf('share')).toEqual({ text: 'share', isShare: true });
});
