import { expect, it } from 'vitest';
import { BATCH_PACE_DEFAULTS, checkBatchPaceOptions } from './batch-pace-options.js';

it('has defaults that hold', () => {
  expect(checkBatchPaceOptions(undefined)).toEqual(BATCH_PACE_DEFAULTS);
});

it.each([
  ['leastPerSecond', 0],
  ['leastPerSecond', 20_000],
  ['mostPerSecond', Number.POSITIVE_INFINITY],
  ['initialPerSecond', 0],
  ['maxUnderWay', 0.5],
  ['targetUtilization', 0],
  ['latencyFactor', 0],
  ['latencyFactor', 1],
] as const)('refuses %s = %s', (field, value) => {
  expect(() => checkBatchPaceOptions({ [field]: value })).toThrow(`${field} must be`);
});

it('refuses what it does not know', () => {
  expect(() => checkBatchPaceOptions({ most: 5 } as object)).toThrow('batchPace has no option "most"');
});
