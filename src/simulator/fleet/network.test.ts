import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../core/seeded-random.js';
import { Network } from './network.js';
import { SmallFleet, small } from './small-fleet.contract.js';

const random = (seed = 1) => {
  const seeded = new SeededRandom(seed);
  return () => seeded.next();
};

describe('Network', () => {
  it('takes its delay within a locality, and more between two', () => {
    const network = new Network({ delayMs: 2, betweenLocalitiesMs: 30, lossShare: 0 }, random());
    expect(network.delayMs('a', 'a')).toBe(2);
    expect(network.delayMs('a', 'b')).toBe(32);
    expect(network.reliableDelayMs('b', 'a')).toBe(32);
  });

  it('draws each delay', () => {
    const spec = { delayMs: { uniform: { from: 1, to: 3 } }, betweenLocalitiesMs: 10, lossShare: 0 };
    const network = new Network(spec, random());
    const delays = Array.from({ length: 500 }, () => network.delayMs('a', 'b'));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(11);
    expect(Math.max(...delays)).toBeLessThanOrEqual(13);
    expect(new Set(delays).size).toBe(500);
  });

  it('loses its share of messages, but not what is repeated until it arrives', () => {
    const network = new Network({ delayMs: 1, betweenLocalitiesMs: 0, lossShare: 0.3 }, random());
    const lost = Array.from({ length: 2_000 }, () => network.delayMs('a', 'a')).filter(
      (delayMs) => delayMs === Number.POSITIVE_INFINITY,
    );
    // Four deviations of chance.
    expect(Math.abs(lost.length / 2_000 - 0.3)).toBeLessThan(4 * Math.sqrt((0.3 * 0.7) / 2_000));
    for (let at = 0; at < 500; at++) expect(network.reliableDelayMs('a', 'a')).toBe(1);
  });

  it('is between a client and a backend, both ways', () => {
    const backends = [{ count: 1, locality: 'far' }];
    const fleet = { ...small({ backends }), network: { delayMs: 1, betweenLocalitiesMs: 20 } };
    const model = new SmallFleet(fleet).ask(0).run(100);
    expect(model.ends).toMatchObject([{ end: 'served', latencyMs: 52 }]);
  });
});
