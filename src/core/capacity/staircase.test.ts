import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Staircase } from './staircase.js';

function stairs(...steps: [capacity: number, untilMs: number][]): Staircase {
  const made = new Staircase();
  for (const [capacity, untilMs] of steps) made.raise(capacity, untilMs);
  return made;
}

function heights(made: Staircase, to = 60): number[] {
  return Array.from({ length: to }, (_, ms) => made.at(ms));
}

const steps = fc.array(fc.tuple(fc.nat(20), fc.nat(50)), { maxLength: 12 });

describe('Staircase', () => {
  it('is so much until an instant and less until a later one', () => {
    const made = stairs([5, 20], [10, 10], [3, 15]);
    expect([0, 9, 10, 19, 20].map((ms) => made.at(ms))).toEqual([10, 10, 5, 5, 0]);
  });

  it('is at each instant the most of what was said', () => {
    fc.assert(
      fc.property(steps, steps, (list, others) => {
        const made = stairs(...list);
        made.raiseTo(stairs(...others));
        const expected = heights(new Staircase()).map((_, ms) =>
          Math.max(0, ...[...list, ...others].filter(([, untilMs]) => ms < untilMs).map(([most]) => most)),
        );
        expect(heights(made)).toEqual(expected);
      }),
    );
  });

  it('can be capped, ended and forgotten', () => {
    fc.assert(
      fc.property(steps, fc.nat(20), fc.nat(50), (list, most, endMs) => {
        const made = stairs(...list);
        const before = heights(made);
        made.cap(most);
        expect(heights(made)).toEqual(before.map((height) => Math.min(height, most)));
        made.endBy(endMs);
        const ended = before.map((height, ms) => (ms < endMs ? Math.min(height, most) : 0));
        expect(heights(made)).toEqual(ended);
        made.forget(endMs - 5);
        expect(heights(made).slice(Math.max(0, endMs - 5))).toEqual(ended.slice(Math.max(0, endMs - 5)));
        made.forget(endMs);
        expect(made.beginnings(-1, 60)).toEqual([-1]);
      }),
    );
  });

  it('has fewer steps when blurred, and is never lower for it', () => {
    const made = stairs([10, 10], [8, 20], [5, 30], [1, 40]);
    made.blur(2);
    expect(made.beginnings(0, 100)).toEqual([0, 30, 40]);
    expect([0, 29, 30, 40].map((ms) => made.at(ms))).toEqual([10, 10, 1, 0]);
    made.blur(1);
    expect([39, 40].map((ms) => made.at(ms))).toEqual([10, 0]);
  });

  it('says when a step begins before an instant', () => {
    const made = stairs([10, 10], [5, 20], [2, 30]);
    expect(made.beginnings(0, 20)).toEqual([0, 10]);
    expect(made.beginnings(10, 21)).toEqual([10, 20]);
  });

  it('has no steps but those where it goes down', () => {
    const height = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(fc.array(fc.tuple(height, fc.nat(50)), { maxLength: 12 }), (list) => {
        const made = stairs(...list);
        const down = heights(made).flatMap((here, ms) => (here < made.at(ms - 1) ? [ms] : []));
        expect(made.beginnings(-1, 60)).toEqual([-1, ...down]);
      }),
    );
  });
});
