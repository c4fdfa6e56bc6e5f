import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lane } from './lane.js';
import { LaneHeap } from './lane-heap.js';

/** A lane of which only the length matters. */
function laneOf(length: number, ordinal: number): Lane<string> {
  const lane = new Lane<string>(`c${ordinal}`, 2, ordinal);
  lane.length = length;
  return lane;
}

function longestOf(lanes: Lane<string>[]): Lane<string> | undefined {
  return lanes.toSorted((a, b) => b.length - a.length || a.ordinal - b.ordinal)[0];
}

describe('LaneHeap', () => {
  it('finds the longest, and of equals the one that came first', () => {
    const heap = new LaneHeap<string>();
    expect(heap.longest).toBeUndefined();
    const [first, second, third] = [laneOf(1, 0), laneOf(2, 1), laneOf(2, 2)];
    for (const lane of [third, first, second]) heap.add(lane);
    expect(heap.longest).toBe(second);
    third.length++;
    heap.onLonger(third);
    expect(heap.longest).toBe(third);
    third.length = 1;
    heap.onShorter(third);
    expect(heap.longest).toBe(second);
    heap.remove(second);
    expect(heap.longest).toBe(first);
    heap.remove(first);
    heap.remove(third);
    expect(heap.longest).toBeUndefined();
  });

  it('keeps its order when the one that fills a hole comes from a branch of longer lanes', () => {
    const heap = new LaneHeap<string>();
    const lanes = [9, 5, 8, 2, 1, 3, 6].map((length, ordinal) => laneOf(length, ordinal));
    for (const lane of lanes) heap.add(lane);
    heap.remove(lanes[3]!);
    const lengths: number[] = [];
    for (let { longest } = heap; longest !== undefined; { longest } = heap) {
      lengths.push(longest.length);
      heap.remove(longest);
    }
    expect(lengths).toEqual([9, 8, 6, 5, 3, 1]);
  });

  it('agrees with sorting, whatever lanes do', () => {
    const step = fc.record({
      which: fc.nat({ max: 30 }),
      change: fc.constantFrom('add', 'add', 'add', 'longer', 'shorter', 'remove'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        const heap = new LaneHeap<string>();
        const lanes: Lane<string>[] = [];
        let ordinal = 0;
        for (const { which, change } of steps) {
          if (change === 'add') {
            lanes.push(laneOf(1 + which, ordinal++));
            heap.add(lanes.at(-1)!);
          } else if (which < lanes.length) {
            const lane = lanes[which]!;
            if (change === 'longer') {
              lane.length++;
              heap.onLonger(lane);
            } else if (change === 'shorter') {
              lane.length--;
              heap.onShorter(lane);
            } else {
              heap.remove(lane);
              lanes.splice(which, 1);
            }
          }
          expect(heap.longest).toBe(longestOf(lanes));
        }
      }),
      { numRuns: 60 },
    );
  });
});
