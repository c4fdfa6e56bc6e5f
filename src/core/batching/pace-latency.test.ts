import { describe, expect, it } from 'vitest';
import { PaceLatency } from './pace-latency.js';

function observe(latency: PaceLatency, count: number, ms: number, now: number): void {
  for (let i = 0; i < count; i++) latency.observe(ms, now);
}

/** One that has seen 20 ms, with nothing in the way. */
function learned(): PaceLatency {
  const latency = new PaceLatency(0);
  observe(latency, 100, 20, 0);
  latency.read(false, 500);
  return latency;
}

describe('PaceLatency', () => {
  it('knows nothing at first, and says nothing before there is enough', () => {
    const latency = new PaceLatency(0);
    expect([latency.baseMs, latency.stayMs, latency.isDipping]).toEqual([undefined, undefined, false]);
    observe(latency, 99, 20, 0);
    expect(latency.read(false, 9_999)).toBeUndefined();
    expect(latency.baseMs).toBeUndefined();
    latency.observe(20, 9_999);
    expect(latency.read(false, 9_999)).toBe(1);
    expect([latency.baseMs, latency.stayMs]).toEqual([20, 20]);
  });

  it('makes do with ten after 10 s, and later after 2', () => {
    const latency = new PaceLatency(0);
    observe(latency, 10, 20, 0);
    expect(latency.read(false, 9_999)).toBeUndefined();
    expect(latency.read(false, 10_000)).toBe(1);
    observe(latency, 10, 30, 10_000);
    expect(latency.read(false, 11_999)).toBeUndefined();
    expect(latency.read(false, 12_000)).toBe(1.5);
  });

  it('takes the base for no more than what is seen, chance aside', () => {
    const latency = learned();
    observe(latency, 100, 16, 1_000);
    latency.read(false, 1_000);
    expect(latency.baseMs).toBe(20);
    observe(latency, 100, 14, 2_000);
    expect(latency.read(false, 2_000)).toBeCloseTo(14 / 16.8, 10);
    expect(latency.baseMs).toBeCloseTo(16.8, 10);
  });

  it('holds nothing against what takes a few milliseconds', () => {
    const latency = new PaceLatency(0);
    observe(latency, 100, 2, 0);
    expect(latency.read(false, 500)).toBe(0.2);
    observe(latency, 100, 8, 1_000);
    expect(latency.read(false, 1_000)).toBe(0.8);
  });

  it('takes what a roomy service does for the base', () => {
    const latency = learned();
    observe(latency, 100, 26, 1_000);
    expect(latency.read(true, 1_000)).toBeUndefined();
    expect(latency.baseMs).toBeCloseTo(23, 10);
    expect(latency.stayMs).toBe(26);
  });

  it('believes one that takes much longer, in a roomy service or in a dip, no more than those before', () => {
    const roomy = learned();
    observe(roomy, 100, 60, 1_000);
    roomy.read(true, 1_000);
    expect(roomy.baseMs).toBe(40);
    const dipping = learned();
    observe(dipping, 100, 60, 2_000);
    dipping.read(false, 2_000);
    dipping.dipIfDue(2_000);
    observe(dipping, 100, 60, 2_060);
    dipping.read(false, 2_500);
    expect([dipping.isDipping, dipping.baseMs]).toEqual([false, 40]);
  });

  it('dips after 2 s while the base is not known well, and after 15 when it is', () => {
    const latency = learned();
    latency.dipIfDue(1_999);
    expect(latency.isDipping).toBe(false);
    for (let i = 0; i < 3; i++) {
      observe(latency, 100, 20, 1_999);
      latency.read(true, 1_999);
    }
    latency.dipIfDue(14_999);
    expect(latency.isDipping).toBe(false);
    latency.dipIfDue(15_000);
    expect(latency.isDipping).toBe(true);
  });

  it('measures the base in a dip, when those that were under way have ended', () => {
    const latency = learned();
    observe(latency, 100, 40, 2_000);
    expect(latency.read(false, 2_000)).toBe(2);
    latency.dipIfDue(2_000);
    observe(latency, 100, 40, 2_039);
    observe(latency, 99, 18, 2_040);
    expect(latency.read(false, 2_600)).toBeUndefined();
    expect(latency.isDipping).toBe(true);
    latency.observe(18, 2_700);
    expect(latency.read(false, 2_700)).toBeUndefined();
    expect(latency.isDipping).toBe(false);
    expect(latency.baseMs).toBeCloseTo(19, 10);
  });

  it('gives a dip up in which nobody comes', () => {
    const latency = learned();
    latency.dipIfDue(2_500);
    latency.read(false, 4_499);
    expect(latency.isDipping).toBe(true);
    latency.read(false, 4_500);
    expect(latency.isDipping).toBe(false);
    expect(latency.baseMs).toBe(20);
  });

  it('forgets everything', () => {
    const latency = learned();
    latency.dipIfDue(2_500);
    latency.clear(9_000);
    expect([latency.baseMs, latency.stayMs, latency.isDipping]).toEqual([undefined, undefined, false]);
  });
});
