import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JobLane } from './job-lane.js';
import { FURTHEST_ROUND, RoundWheel } from './round-wheel.js';

it('is empty at first', () => {
  expect(new RoundWheel().next()).toBeUndefined();
});

it('gives lanes in the order of rounds, and in each in the order in which they were put there', () => {
  const ahead = fc.option(fc.integer({ min: 0, max: FURTHEST_ROUND }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(ahead), (steps) => {
      const wheel = new RoundWheel<unknown>();
      const model: { readonly lane: JobLane<unknown>; readonly round: number }[] = [];
      const compareNext = () => {
        // Sorting keeps the order of equals.
        const expected = model.toSorted((a, b) => a.round - b.round)[0];
        const lane = wheel.next();
        expect(lane).toBe(expected?.lane);
        if (expected === undefined) return;
        expect([wheel.round, lane!.isScheduled]).toEqual([expected.round, false]);
        model.splice(model.indexOf(expected), 1);
      };
      steps.forEach((rounds, at) => {
        if (rounds === undefined) {
          compareNext();
          return;
        }
        const lane = new JobLane(String(at));
        wheel.put(lane, wheel.round + rounds);
        model.push({ lane, round: wheel.round + rounds });
      });
      for (let left = model.length; left >= 0; left--) compareNext();
    }),
  );
});
