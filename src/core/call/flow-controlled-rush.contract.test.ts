import { expect, it } from 'vitest';
import { limitAfterRush } from './flow-controlled-rush.contract.js';

// The knee is 4. One that has risen above what flow control lets through would never be reached again, and stay.
it.each(Array.from({ length: 8 }, (_, seed) => seed + 1))(
  'an adaptive limit comes down behind flow control though the machine stands still at times (seed %d)',
  (seed) => {
    expect(limitAfterRush(seed, 1_000, 400)).toBeLessThan(50);
  },
);
