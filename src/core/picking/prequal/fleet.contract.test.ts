import { describe, expect, it } from 'vitest';
import { runFleet } from './fleet.contract.js';

describe('Prequal in a closed loop, its probes 1 ms old', () => {
  it.each([10, 24])('does not herd among %i equal backends: no slower than round robin', (size) => {
    const prequal = runFleet('prequal', size, 0.8, 4);
    const roundRobin = runFleet('round-robin', size, 0.8, 4);
    expect(prequal.p99).toBeLessThan(roundRobin.p99);
    expect(prequal.p50).toBeLessThan(roundRobin.p50 * 1.05);
    // Nobody starves: the least served of equals gets a good part of its share.
    expect(prequal.leastShare).toBeGreaterThan(0.5);
  });

  it('leaves slow backends alone', () => {
    // Two of 16 are 16 times slower; half load, so that the others can carry it all.
    const prequal = runFleet('prequal', 16, 0.5, 4, [2, 16]);
    const roundRobin = runFleet('round-robin', 16, 0.5, 4, [2, 16]);
    expect(prequal.p99).toBeLessThan(roundRobin.p99 / 4);
    expect(prequal.shares[0]).toBeLessThan(0.3);
  });
});
