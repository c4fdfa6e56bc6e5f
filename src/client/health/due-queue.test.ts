import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Due, DueQueue } from './due-queue.js';

const make = (): Due => ({ dueMs: 0, queueIndex: -1 });

it('knows who is first, whatever was added, moved and deleted', () => {
  const step = fc.tuple(fc.nat({ max: 20 }), fc.option(fc.nat({ max: 100 }), { nil: undefined }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const items = Array.from({ length: 21 }, make);
      const queue = new DueQueue<Due>();
      const inside = new Set<Due>();
      for (const [at, dueMs] of steps) {
        const item = items[at]!;
        if (dueMs === undefined) queue.delete(item);
        else queue.set(item, dueMs);
        if (dueMs === undefined) inside.delete(item);
        else inside.add(item);
        expect(queue.size).toBe(inside.size);
        const leastMs = Math.min(...[...inside].map((each) => each.dueMs));
        expect(queue.first?.dueMs ?? Number.POSITIVE_INFINITY).toBe(leastMs);
        if (queue.first !== undefined) expect(inside).toContain(queue.first);
      }
      const order: number[] = [];
      for (let { first } = queue; first !== undefined; first = queue.first) {
        order.push(first.dueMs);
        queue.delete(first);
      }
      expect(order).toEqual([...inside].map(({ dueMs }) => dueMs).sort((a, b) => a - b));
    }),
  );
});

it('takes ten thousand', () => {
  const queue = new DueQueue<Due>();
  for (let i = 0; i < 10_000; i++) queue.set(make(), (i * 7_919) % 10_007);
  queue.set(queue.first!, 20_000);
  expect(queue.size).toBe(10_000);
  expect(queue.first?.dueMs).toBe(1);
});
