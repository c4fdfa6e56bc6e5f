import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../../core/evenly.contract.js';
import { SeededRandom } from '../../core/seeded-random.js';
import { Event } from './event.js';
import { EventQueue, MOST_PRIORITY } from './event-queue.js';

class Named extends Event {
  constructor(readonly name: number) {
    super();
  }

  happen(): void {}
}

/** What the queue should be: a list, sorted by all three whenever someone looks. */
class SortedList {
  #sequence = 0;
  readonly #entries = new Map<Event, [timeMs: number, priority: number, sequence: number]>();

  schedule(event: Event, timeMs: number, priority: number): void {
    this.#entries.set(event, [timeMs, priority, this.#sequence++]);
  }

  remove(event: Event): void {
    this.#entries.delete(event);
  }

  has(event: Event): boolean {
    return this.#entries.has(event);
  }

  get size(): number {
    return this.#entries.size;
  }

  sorted(): { event: Event; timeMs: number }[] {
    const byAll = [...this.#entries].sort(([, a], [, b]) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    return byAll.map(([event, [timeMs]]) => ({ event, timeMs }));
  }
}

function names(count: number): Named[] {
  return Array.from({ length: count }, (_, name) => new Named(name));
}

function drain(queue: EventQueue): { event: Event; timeMs: number }[] {
  const drained: { event: Event; timeMs: number }[] = [];
  while (queue.size > 0) drained.push({ timeMs: queue.nextMs, event: queue.shift() });
  return drained;
}

const which = fc.nat({ max: 29 });
// Few instants and priorities, so that ties are common.
const time = fc.oneof(fc.nat({ max: 6 }), evenly(0, 6));
const priority = fc.constantFrom(0, 1, 2, MOST_PRIORITY);

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('schedule' as const), which, time, priority }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('shift' as const) }) },
);

describe('EventQueue', () => {
  it('is a list sorted by time, priority and sequence, whatever is scheduled, moved and removed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const queue = new EventQueue();
        const list = new SortedList();
        const events = names(30);
        for (const step of steps) {
          if (step.do === 'schedule') {
            queue.schedule(events[step.which]!, step.time, step.priority);
            list.schedule(events[step.which]!, step.time, step.priority);
          } else if (step.do === 'remove') {
            queue.remove(events[step.which]!);
            list.remove(events[step.which]!);
          } else if (list.size > 0) {
            const first = list.sorted()[0]!;
            expect(queue.shift()).toBe(first.event);
            list.remove(first.event);
          }
          expect(queue.size).toBe(list.size);
          expect(queue.nextMs).toBe(list.sorted()[0]?.timeMs ?? Number.POSITIVE_INFINITY);
          expect(events.every((event) => event.isScheduled === list.has(event))).toBe(true);
        }
        expect(drain(queue)).toEqual(list.sorted());
      }),
    );
  });

  it('keeps the order of thousands, past the room it begins with', () => {
    const random = new SeededRandom(1);
    const queue = new EventQueue();
    const list = new SortedList();
    const events = names(5_000);
    for (let index = 0; index < 20_000; index++) {
      const event = events[random.below(events.length)]!;
      if (random.below(4) === 0) {
        queue.remove(event);
        list.remove(event);
      } else {
        const [timeMs, priority] = [random.below(1_000), random.below(3)];
        queue.schedule(event, timeMs, priority);
        list.schedule(event, timeMs, priority);
      }
    }
    expect(queue.size).toBe(list.size);
    expect(queue.size).toBeGreaterThan(3 * 1_024);
    expect(drain(queue)).toEqual(list.sorted());
  });

  it('counts one that is moved as scheduled last, at the same instant too', () => {
    const queue = new EventQueue();
    const [a, b, c] = names(3) as [Named, Named, Named];
    for (const event of [a, b, c]) queue.schedule(event, 10, 1);
    queue.schedule(a, 10, 1);
    expect(queue.size).toBe(3);
    expect([queue.shift(), queue.shift(), queue.shift()]).toEqual([b, c, a]);
  });

  it('moves by priority alone', () => {
    const queue = new EventQueue();
    const [a, b] = names(2) as [Named, Named];
    queue.schedule(a, 10, 1);
    queue.schedule(b, 10, 1);
    queue.schedule(b, 10, 0);
    expect([queue.shift(), queue.shift()]).toEqual([b, a]);
  });

  it('has nothing to remove of one that is not scheduled', () => {
    const queue = new EventQueue();
    const [a, b] = names(2) as [Named, Named];
    queue.remove(a);
    queue.schedule(a, 1, 0);
    queue.remove(b);
    expect(queue.size).toBe(1);
    queue.remove(a);
    queue.remove(a);
    expect(queue.size).toBe(0);
    expect(queue.nextMs).toBe(Number.POSITIVE_INFINITY);
    expect(a.isScheduled).toBe(false);
  });

  it('refuses an event of another queue, and leaves both as they are', () => {
    const [mine, other] = [new EventQueue(), new EventQueue()];
    const [a, b] = names(2) as [Named, Named];
    mine.schedule(a, 5, 0);
    other.schedule(b, 7, 0);
    expect(() => other.schedule(a, 1, 0)).toThrow(new RangeError('an event must stay with one kernel'));
    expect(() => other.remove(a)).toThrow(new RangeError('an event must stay with one kernel'));
    expect([mine.nextMs, other.nextMs]).toEqual([5, 7]);
    expect([mine.shift(), other.shift()]).toEqual([a, b]);
    // Free again, and what is over is forgotten where it was.
    other.schedule(a, 1, 0);
    expect(() => mine.remove(a)).toThrow('an event must stay with one kernel');
    expect(other.shift()).toBe(a);
  });
});
