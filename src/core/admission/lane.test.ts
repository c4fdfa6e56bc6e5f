import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lane, type Place } from './lane.js';

function fromOldest<R>(lane: Lane<R>): R[] {
  const found: R[] = [];
  for (let place = lane.oldest; place !== undefined; place = place.newer) found.push(place.request);
  return found;
}

function fromNewest<R>(lane: Lane<R>): R[] {
  const found: R[] = [];
  for (let place = lane.newest; place !== undefined; place = place.older) found.push(place.request);
  return found;
}

describe('Lane', () => {
  it('keeps the order of arrival in both directions, whoever leaves', () => {
    const step = fc.oneof(fc.constant('add' as const), fc.nat({ max: 20 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lane = new Lane<number>('a', 2, 0);
        const places: Place<number>[] = [];
        let next = 0;
        for (const leaver of steps) {
          if (leaver === 'add') places.push(lane.add(next++, 0));
          else if (leaver < places.length) lane.remove(places.splice(leaver, 1)[0]!);
          const expected = places.map(({ request }) => request);
          expect(fromOldest(lane)).toEqual(expected);
          expect(fromNewest(lane)).toEqual(expected.toReversed());
          expect(lane.length).toBe(expected.length);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('lets go of who has left: the dead would keep the young alive from one scavenge to the next', () => {
    const lane = new Lane<string>('a', 2, 0);
    const [, middle] = ['oldest', 'middle', 'newest'].map((request) => lane.add(request, 0));
    lane.remove(middle!);
    expect([middle!.older, middle!.newer]).toEqual([undefined, undefined]);
  });

  it('knows since when each has waited, and where', () => {
    const lane = new Lane<string>('a', 2, 0);
    expect(lane.add('x', 17)).toMatchObject({ request: 'x', sinceMs: 17, lane });
  });
});
