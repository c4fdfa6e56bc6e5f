import { expect, it } from 'vitest';
import { groupTargets, MOST_TARGETS, namesOf } from './srv-targets.js';

function record(priority: number, name: string, port = 80): Parameters<typeof groupTargets>[0][number] {
  return { priority, weight: 1, name, port };
}

it('puts the lowest number first, each target once', () => {
  const groups = groupTargets([
    record(10, 'b'),
    record(9, 'a', 81),
    record(10, 'c'),
    record(9, 'A', 81),
    record(9, 'a'),
  ]);
  expect(groups).toEqual([
    [
      { name: 'a', port: 81 },
      { name: 'a', port: 80 },
    ],
    [
      { name: 'b', port: 80 },
      { name: 'c', port: 80 },
    ],
  ]);
  expect(groups.map(namesOf)).toEqual([['a'], ['b', 'c']]);
});

it('leaves out what leads nowhere', () => {
  expect(groupTargets([record(1, ''), record(1, '.'), record(1, 'a', 0)])).toEqual([]);
});

it('is bounded, and keeps the preferred', () => {
  const many = Array.from({ length: MOST_TARGETS }, (_, i) => record(2, `t${i}`));
  const groups = groupTargets([...many, record(1, 'first')]);
  expect(groups.map((group) => group.length)).toEqual([1, MOST_TARGETS - 1]);
});
