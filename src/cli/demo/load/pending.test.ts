import { expect, it } from 'vitest';
import { Pending, type Waiting } from './pending.js';

const waiting = (dueMs: number) => ({ dueMs, isOver: false });

it('finds those that have waited too long, once each', () => {
  const pending = new Pending<Waiting>();
  const [first, second, third] = [waiting(1), waiting(2), waiting(3)];
  for (const one of [first, second, third]) pending.add(one);
  second.isOver = true;
  expect(pending.takeDueBefore(1)).toBe(undefined);
  expect(pending.takeDueBefore(10)).toBe(first);
  expect(pending.takeDueBefore(10)).toBe(third);
  expect(pending.takeDueBefore(10)).toBe(undefined);
});

it('goes on for as long as there are any', () => {
  const pending = new Pending<Waiting>();
  let taken = 0;
  for (let dueMs = 0; dueMs < 10_000; dueMs++) {
    pending.add(waiting(dueMs));
    while (pending.takeDueBefore(dueMs - 5) !== undefined) taken++;
  }
  expect(taken).toBe(9_994);
});
