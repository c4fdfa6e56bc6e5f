import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Work, WorkQueue } from './work-queue.js';

function workOf(workEnd: number): Work {
  return { workPlace: -1, workEnd, onWorkDone: () => {} };
}

describe('WorkQueue', () => {
  it('is a list sorted by end and arrival, whoever leaves it', () => {
    // Few different ends, so that most are equal to some.
    const action = fc.oneof(
      fc.record({ end: fc.nat(9) }),
      fc.record({ leaves: fc.nat(200) }),
      fc.constant('first' as const),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200, size: 'max' }), (actions) => {
        const queue = new WorkQueue();
        const sorted: Work[] = [];
        const leave = (work: Work) => {
          sorted.splice(sorted.indexOf(work), 1);
          queue.remove(work);
          expect([work.workPlace, queue.has(work)]).toEqual([-1, false]);
        };
        for (const act of actions) {
          if (act === 'first') {
            if (sorted.length > 0) leave(queue.first!);
          } else if ('end' in act) {
            const work = workOf(act.end);
            const after = sorted.findLastIndex((other) => other.workEnd <= work.workEnd);
            sorted.splice(after + 1, 0, work);
            queue.add(work);
          } else if (sorted.length > 0) {
            leave(sorted[act.leaves % sorted.length]!);
          }
          expect([queue.size, queue.first === sorted[0]]).toEqual([sorted.length, true]);
        }
        expect(sorted.every((work) => queue.has(work))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('does not take the place of a work in another queue for one here', () => {
    const [one, other] = [new WorkQueue(), new WorkQueue()];
    const [here, there] = [workOf(1), workOf(1)];
    one.add(here);
    other.add(there);
    expect([one.has(here), one.has(there), one.has(workOf(1))]).toEqual([true, false, false]);
  });
});
