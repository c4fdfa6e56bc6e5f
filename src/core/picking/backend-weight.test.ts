import { describe, expect, it } from 'vitest';
import { BackendWeight, WEIGHT_DEFAULTS, type WeightOptions } from './backend-weight.js';

const report = (requestsPerSecond: number, cpuUtilization: number, errorsPerSecond = 0) => ({
  requestsPerSecond,
  cpuUtilization,
  errorsPerSecond,
});

/** Reported on once, at an instant, by one that has been ready since 0. */
function reported(given: Partial<WeightOptions> = {}, load = report(100, 0.5), now = 0) {
  const options = { ...WEIGHT_DEFAULTS, blackoutMs: 0, ...given };
  const weight = new BackendWeight();
  weight.onReport(load, now, options);
  return { weight, at: (at: number, readySinceMs = 0) => weight.weight(at, readySinceMs, options), options };
}

describe('the weight of a backend', () => {
  it('is not used before the end of the blackout', () => {
    const { at } = reported({ blackoutMs: 10_000 });
    expect([at(9_999), at(10_000)]).toEqual([0, 200]);
  });

  it('holds until it expires, and then there is a blackout again', () => {
    const { weight, at, options } = reported({ blackoutMs: 1_000, expiryMs: 5_000 });
    expect([at(4_999), at(5_000)]).toEqual([200, 0]);
    weight.onReport(report(100, 0.5), 5_000, options);
    expect([at(5_999), at(6_000)]).toEqual([0, 200]);
    // No gap as long as the expiry: none.
    weight.onReport(report(100, 0.25), 9_999, options);
    expect(at(9_999)).toBe(400);
  });

  it('is not that of its predecessor', () => {
    const { weight, at, options } = reported();
    expect(at(20, 10)).toBe(0);
    weight.onReport(report(100, 0.25), 10, options);
    expect(at(20, 10)).toBe(400);
  });

  it('is less by errors, as heavily as told', () => {
    expect(reported({ errorPenalty: 2 }, report(100, 0.5, 25)).at(0)).toBe(100);
    // More errors than requests are all of them.
    expect(reported({}, report(100, 1, 500)).at(0)).toBe(50);
  });

  it.each([
    [1e-9, 1e-9],
    [0.9e-9, 0],
    [1e9, 1e9],
    [1.1e9, 0],
  ])('is no machine’s beyond bounds: %d is %d', (rate, expected) => {
    expect(reported({}, report(rate, 1)).at(0)).toBe(expected);
  });

  it('knows what share of its own attempts failed, of the last twenty or so', () => {
    const weight = new BackendWeight();
    weight.onAttempt(false);
    expect(weight.seenErrorShare).toBe(0);
    for (let count = 0; count < 20; count++) weight.onAttempt(true);
    expect(weight.seenErrorShare).toBeCloseTo(1 - 0.95 ** 20, 10);
    weight.onAttempt(false);
    expect(weight.seenErrorShare).toBeCloseTo(0.95 * (1 - 0.95 ** 20), 10);
  });
});
