import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Place } from './lane.js';
import { LaneRing } from './lane-ring.js';

/** Serves the oldest of whose turn it is. */
function serve(ring: LaneRing<string>): string | undefined {
  const lane = ring.turn;
  if (lane === undefined) return undefined;
  const place = lane.oldest!;
  ring.endTurn(lane);
  ring.remove(place);
  return place.request;
}

function serveAll(ring: LaneRing<string>): string {
  const served: string[] = [];
  while (ring.size > 0) served.push(serve(ring)!);
  return served.join(' ');
}

describe('LaneRing', () => {
  it('lets customers take turns, however much each has waiting', () => {
    const ring = new LaneRing<string>(2);
    for (const request of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) ring.add(request, request[0]!, 0);
    expect(ring).toMatchObject({ size: 7, customers: 3 });
    expect(serveAll(ring)).toBe('a1 b1 c1 a2 b2 a3 a4');
    expect(ring).toMatchObject({ size: 0, customers: 0, turn: undefined, longest: undefined });
  });

  it('puts a customer that joins at the end of the round', () => {
    const ring = new LaneRing<string>(2);
    for (const request of ['a1', 'a2', 'b1', 'b2']) ring.add(request, request[0]!, 0);
    expect(serve(ring)).toBe('a1');
    ring.add('c1', 'c', 0);
    expect(serveAll(ring)).toBe('b1 a2 c1 b2');
  });

  it('passes the turn on when the last request of a customer leaves', () => {
    const ring = new LaneRing<string>(2);
    const [a, b] = ['a', 'b', 'c'].map((request) => ring.add(request, request, 0));
    ring.remove(a!);
    expect(ring.turn?.customer).toBe('b');
    ring.remove(b!);
    expect(ring.turn?.customer).toBe('c');
    expect(serveAll(ring)).toBe('c');
  });

  it('keeps nothing of a customer of whom nothing waits', () => {
    const ring = new LaneRing<string>(2);
    for (let customer = 0; customer < 1_000; customer++) ring.remove(ring.add('x', `c${customer}`, 0));
    expect(ring).toMatchObject({ size: 0, customers: 0, turn: undefined, longest: undefined });
    expect(ring.laneOf('c0')).toBeUndefined();
  });

  it('lets go of a customer of whom nothing waits: the dead would keep the young alive', () => {
    const ring = new LaneRing<string>(2);
    const [, b] = ['a', 'b', 'c'].map((request) => ring.add(request, request, 0));
    const { lane } = b!;
    ring.remove(b!);
    expect(lane.before).toBe(lane);
    expect(lane.after).toBe(lane);
  });

  it('serves each customer once a round: nobody is more than one ahead of anybody who waits', () => {
    const customers = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(customers, fc.array(fc.nat({ max: 59 }), { maxLength: 20 }), (owners, leavers) => {
        const ring = new LaneRing<string>(2);
        const places: Place<string>[] = owners.map((owner) => ring.add(owner, owner, 0));
        const gone = new Set(leavers.filter((leaver) => leaver < places.length));
        for (const leaver of gone) ring.remove(places[leaver]!);
        const left = new Map<string, number>();
        for (const [index, owner] of owners.entries()) {
          if (!gone.has(index)) left.set(owner, (left.get(owner) ?? 0) + 1);
        }
        expect(ring.longest?.length).toBe(left.size === 0 ? undefined : Math.max(...left.values()));
        const served = new Map([...left.keys()].map((owner) => [owner, 0]));
        while (ring.size > 0) {
          const owner = serve(ring)!;
          served.set(owner, served.get(owner)! + 1);
          const waiting = [...left]
            .filter(([name, count]) => served.get(name)! < count)
            .map(([name]) => served.get(name)!);
          for (const count of waiting) expect(served.get(owner)! - count).toBeLessThanOrEqual(1);
        }
        expect(served).toEqual(left);
      }),
      { numRuns: 50 },
    );
  });
});
