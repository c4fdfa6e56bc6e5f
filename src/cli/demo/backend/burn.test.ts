import { expect, it } from 'vitest';
import { burn, roundsPerMs } from './burn.js';

it('computes something that depends on every round', () => {
  expect(burn(0)).toBe(1);
  expect(burn(1)).toBe(270_369);
  expect(burn(1_000)).not.toBe(burn(1_001));
});

it('goes by the fastest trial', () => {
  let calls = 0;
  // Trials take 40, 35, 30 … 5 ms.
  const cpuMs = () => {
    const trial = Math.floor(calls / 2);
    const isEnd = calls++ % 2 === 1;
    return trial * 1_000 + (isEnd ? 40 - 5 * trial : 0);
  };
  expect(roundsPerMs(cpuMs)).toBe(400_000);
});

it('is no less than a number when no time passes', () => {
  expect(roundsPerMs(() => 0)).toBe(200_000_000);
});
