import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { CapacityDemand } from './capacity-demand.js';

describe('CapacityDemand', () => {
  it('wants nothing before anybody asked, and after an idle hour', () => {
    const demand = new CapacityDemand();
    expect(demand.wants(0)).toBe(0);
    for (let ms = 0; ms < 60_000; ms += 10) demand.observe(ms, 1);
    expect(demand.wants(60_000)).toBeGreaterThan(100);
    expect(demand.wants(3_600_000)).toBe(0);
    demand.observe(3_600_000, 1);
    expect(demand.wants(3_600_000)).toBeCloseTo(1.1, 6);
  });

  it('wants a tenth more than comes in', () => {
    const demand = new CapacityDemand();
    for (let ms = 0; ms < 120_000; ms += 10) demand.observe(ms, 2);
    expect(demand.wants(120_000)).toBeGreaterThan(200 * 1.09);
    expect(demand.wants(120_000)).toBeLessThan(200 * 1.12);
  });

  it('rarely wants less than the rate of random arrivals', () => {
    const demand = new CapacityDemand();
    const random = new SeededRandom(1);
    let [reads, low, sum] = [0, 0, 0];
    for (let ms = 0; ms < 600_000; ms += 1) {
      if (random.next() < 0.01) demand.observe(ms, 1);
      if (ms < 60_000 || ms % 1_000 !== 0) continue;
      reads++;
      sum += demand.wants(ms);
      if (demand.wants(ms) < 10) low++;
    }
    expect(low / reads).toBeLessThan(0.2);
    expect(sum / reads).toBeLessThan(14);
  });

  it('sees a load that begins within a second or two, and does not forget one that pauses', () => {
    const demand = new CapacityDemand();
    for (let ms = 0; ms < 60_000; ms += 100) demand.observe(ms, 1);
    for (let ms = 60_000; ms < 62_000; ms += 10) demand.observe(ms, 1);
    expect(demand.wants(62_000)).toBeGreaterThan(90);
    const pausing = new CapacityDemand();
    for (let ms = 0; ms < 60_000; ms += 10) pausing.observe(ms, 1);
    expect(pausing.wants(65_000)).toBeGreaterThan(70);
  });

  it('takes what comes late as of now', () => {
    const demand = new CapacityDemand();
    demand.observe(5_000, 1);
    demand.observe(4_000, 1);
    expect(demand.wants(5_000)).toBeCloseTo(2.2, 6);
  });
});
