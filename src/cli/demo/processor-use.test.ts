import { expect, it } from 'vitest';
import { divisionOf, type ProcessorUse } from './processor-use.js';

const START: ProcessorUse = { atMs: 1_000, processors: 2, idleMs: 500, ownMs: 100 };
const after = (idleMs: number, ownMs: number): ProcessorUse => ({
  atMs: 11_000,
  processors: 2,
  idleMs: 500 + idleMs,
  ownMs: 100 + ownMs,
});

it.each([
  ['the demo alone', after(400, 19_400), { elsewhere: 0.01, idle: 0.02, isDisturbed: false }],
  [
    'somebody else on one of two processors',
    after(0, 10_000),
    { elsewhere: 0.5, idle: 0, isDisturbed: true },
  ],
  ['many idle processors', after(12_000, 4_000), { elsewhere: 0.2, idle: 0.6, isDisturbed: false }],
  ['clocks that say too much', after(1_000, 20_000), { elsewhere: 0, idle: 0.05, isDisturbed: false }],
])('%s', (_, end, expected) => {
  const { elsewhere, idle, isDisturbed } = divisionOf(START, end);
  expect(elsewhere).toBeCloseTo(expected.elsewhere, 9);
  expect(idle).toBeCloseTo(expected.idle, 9);
  expect(isDisturbed).toBe(expected.isDisturbed);
});

it('says nothing of no time', () => {
  expect(divisionOf(START, START)).toEqual({ elsewhere: 0, idle: 0, isDisturbed: false });
});
