import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BatchPlace, JobLane } from './job-lane.js';

function requestsIn(lane: JobLane<number>): { readonly forward: number[]; readonly backward: number[] } {
  const forward: number[] = [];
  const backward: number[] = [];
  for (let place = lane.oldest; place !== undefined; place = place.newer) forward.push(place.request);
  for (let place = lane.newest; place !== undefined; place = place.older) backward.push(place.request);
  return { forward, backward };
}

it('keeps the order in which they came, whoever leaves', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20), { nil: undefined })), (steps) => {
      const lane = new JobLane<number>('a');
      const places: BatchPlace<number>[] = [];
      steps.forEach((leaves, at) => {
        if (leaves !== undefined && leaves < places.length) lane.remove(places.splice(leaves, 1)[0]!);
        else {
          const place = new BatchPlace(at, lane, 0, 0, false);
          lane.add(place);
          places.push(place);
        }
        const expected = places.map(({ request }) => request);
        expect(requestsIn(lane)).toEqual({ forward: expected, backward: expected.toReversed() });
        expect(lane.waiting).toBe(places.length);
      });
    }),
  );
});
