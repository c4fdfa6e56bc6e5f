import { expect, it } from 'vitest';
import { fewAtOnce } from './few-at-once.js';

it('does all, so many at once', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const items = Array.from({ length: 50 }, (_, i) => i);
  await fewAtOnce(items, 8, async (item) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    done.push(item);
  });
  expect(most).toBe(8);
  expect(done.toSorted((a, b) => a - b)).toEqual(items);
});

it('does nothing with nothing', async () => {
  await fewAtOnce([], 8, async () => expect.unreachable());
});
