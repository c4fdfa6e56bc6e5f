import { describe, expect, it } from 'vitest';
import { PollSchedule } from './poll-schedule.js';

const OPTIONS = { minMs: 1_000, maxMs: 60_000, retryMinMs: 1_000, retryMaxMs: 30_000, refreshGapMs: 1_000 };

function schedule(random = () => 0): PollSchedule {
  return new PollSchedule(OPTIONS, random);
}

it('is due at once, and not while it looks', () => {
  const polls = schedule();
  expect(polls.waitMs(5)).toBe(0);
  polls.begin(5);
  expect(polls.waitMs(6)).toBeUndefined();
});

it.each([
  [0, 1_000],
  [5_000, 5_000],
  [3_600_000, 60_000],
])('looks again when an answer that holds %d ms has run out: after %d ms', (validMs, waitMs) => {
  const polls = schedule();
  polls.begin(0);
  polls.succeeded(10, validMs);
  expect(polls.waitMs(10)).toBe(waitMs);
  expect(polls.waitMs(510)).toBe(waitMs - 500);
  expect(polls.waitMs(1e9)).toBe(0);
});

it('never looks before an answer has run out, and up to a tenth after', () => {
  const polls = schedule(() => 0.999_999);
  polls.begin(0);
  polls.succeeded(0, 10_000);
  expect(polls.waitMs(0)).toBeCloseTo(11_000, 0);
});

it('backs off while it fails, and forgets that with an answer', () => {
  const polls = schedule(() => 1);
  const waits = [1, 2, 3].map(() => {
    polls.begin(0);
    polls.failed(0);
    return polls.waitMs(0);
  });
  expect(waits).toEqual([1_000, 2_000, 4_000]);
  polls.begin(0);
  polls.succeeded(0, 5_000);
  polls.begin(0);
  polls.failed(0);
  expect(polls.waitMs(0)).toBe(1_000);
});

describe('when asked to', () => {
  it('looks at once', () => {
    const polls = schedule();
    polls.begin(0);
    polls.succeeded(10, 60_000);
    polls.refresh(5_000);
    expect(polls.waitMs(5_000)).toBe(0);
  });

  it('does not look twice within the gap, however often it is asked', () => {
    const polls = schedule();
    let looks = 0;
    for (let now = 0; now < 10_000; now++) {
      polls.refresh(now);
      if (polls.waitMs(now) !== 0) continue;
      looks++;
      polls.begin(now);
      polls.succeeded(now, 60_000);
    }
    expect(looks).toBe(10);
  });

  it('looks no later than it would have', () => {
    const polls = schedule();
    polls.begin(0);
    polls.failed(0);
    polls.refresh(0);
    expect(polls.waitMs(0)).toBe(500);
  });

  it('looks once more when it is looking', () => {
    const polls = schedule();
    polls.begin(0);
    polls.refresh(1);
    expect(polls.waitMs(1)).toBeUndefined();
    polls.succeeded(10, 60_000);
    expect(polls.waitMs(10)).toBe(990);
    polls.begin(1_000);
    polls.succeeded(1_000, 60_000);
    expect(polls.waitMs(1_000)).toBe(60_000);
  });
});
