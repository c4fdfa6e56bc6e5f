import { expect, it } from 'vitest';
import { memoryStore } from '../../stores/memory/memory-store.js';
import { StoreDesk } from './store-desk.js';

const OPTIONS = { algorithm: 'fixed-window', limit: 2, windowMs: 60_000 } as const;

it('decides in the order of the questions, each for itself', async () => {
  const desk = new StoreDesk(memoryStore());
  const answers = await desk.answer({
    rules: [['two', OPTIONS]],
    asks: [
      ['take', [['two', 'a', 2, 0]]],
      ['take', [['other', 'a', 1, 0]]],
      ['peek', [['two', 'a', 1, 0]]],
      ['reset', 'two', 'a'],
      ['take', [['two', 'a', 2, 0]]],
    ],
  });
  expect(answers).toMatchObject([
    ['taken', 1, expect.any(Number), [[1, 2, 0, expect.any(Number), 0]]],
    ['failed', 'Error', 'no rule is called other'],
    ['peeked', [[0, 2, 0, expect.any(Number), expect.any(Number)]]],
    ['done'],
    ['taken', 1, expect.any(Number), [[1, 2, 0, expect.any(Number), 0]]],
  ]);
});

it('knows a rule from any worker', async () => {
  const desk = new StoreDesk(memoryStore());
  await desk.answer({ rules: [['two', OPTIONS]], asks: [['take', [['two', 'a', 1, 0]]]] });
  const [answer] = await desk.answer({ rules: [['two', OPTIONS]], asks: [['take', [['two', 'a', 2, 1]]]] });
  // In shadow it does not pass, and keeps nothing from passing.
  expect(answer).toMatchObject([
    'taken',
    1,
    expect.any(Number),
    [[0, 2, 1, expect.any(Number), expect.any(Number)]],
  ]);
});

it('gives nothing to a rule that is none', async () => {
  const desk = new StoreDesk(memoryStore());
  await expect(desk.answer({ rules: [['bad', { ...OPTIONS, limit: -1 }]], asks: [] })).rejects.toThrow(
    RangeError,
  );
});
