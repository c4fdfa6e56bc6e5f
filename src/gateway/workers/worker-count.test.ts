import { expect, it } from 'vitest';
import { workerCountOf } from './worker-count.js';

it.each([
  [3, 8, 3],
  ['auto', 8, 8],
  ['auto', 1.5, 1],
  ['auto', 0.25, 1],
  ['auto', 2, 2],
  ['auto', 1_024, 256],
] as const)('%s on %s processors is %s', (setting, processors, expected) => {
  expect(workerCountOf(setting, () => ({ processors }))).toBe(expected);
});

it('asks the machine when nobody says', () => {
  expect(workerCountOf('auto')).toBeGreaterThan(0);
});
