import { describe, expect, it } from 'vitest';
import { Fleet } from './fleet.js';
import { cpuPanel, rateLine } from './fleet-figures.js';
import { backendRows, cpuOverRun, requestRows, typicalPeak } from './fleet-report.js';
import { small } from './small-fleet.contract.js';

/**
 * Forty requests a second for two seconds, in turn to two backends, one of which is twice as fast: 20 × 10 ms and 20 ×
 * 5 ms a second.
 */
function twoSpeeds(service: object = {}, client: object = {}): Fleet {
  const backends = [{ count: 1 }, { count: 1, speed: 2 }];
  const arrivals = { perSecond: 40, process: 'even' } as const;
  const input = small({ backends, ...service }, { arrivals, ...client });
  return new Fleet({ ...input, warmupMs: 1_000, durationMs: 2_000 }, { seed: 1 }).run();
}

describe('backendRows', () => {
  it('say how evenly load lies: by hand on a tiny fleet', () => {
    const [row, ...others] = backendRows(twoSpeeds(), { policy: 'x' });
    expect(others).toEqual([]);
    expect(row).toEqual({
      section: 'backends',
      policy: 'x',
      service: 'shop',
      backends: 2,
      cpuShare: expect.closeTo(0.15, 2),
      maxOverMean: expect.closeTo(0.2 / 0.15, 1),
      minOverMean: expect.closeTo(0.1 / 0.15, 1),
      // Σ (max − load): the fast one is reserved a tenth of a backend too much.
      waste: expect.closeTo(0.1, 2),
      arrivalsPerSecond: 40,
      refusedPerSecond: 0,
      wastedPerSecond: 0,
    });
  });

  it('count what was refused, and what was done in vain', () => {
    const limited = backendRows(twoSpeeds({ quota: { everyoneElse: 0 } }))[0]!;
    expect(limited).toMatchObject({ arrivalsPerSecond: 40, refusedPerSecond: 40, wastedPerSecond: 0 });
    const late = backendRows(twoSpeeds({}, { deadlineMs: 4 }))[0]!;
    expect(late).toMatchObject({ arrivalsPerSecond: 40, refusedPerSecond: 0, wastedPerSecond: 40 });
  });

  it('do not count what is done after the measured time', () => {
    // A hundred requests a second can be done of the three hundred, all too late.
    const arrivals = { perSecond: 300, process: 'even' } as const;
    const input = small({ guard: false }, { arrivals, deadlineMs: 500, activeLimit: 10_000 });
    const fleet = new Fleet({ ...input, warmupMs: 1_000, durationMs: 1_000 }, { seed: 1 }).run();
    const [row] = backendRows(fleet);
    expect(row).toMatchObject({ arrivalsPerSecond: 300, cpuShare: expect.closeTo(1, 9) });
    expect(row!['wastedPerSecond']).toBeLessThanOrEqual(101);
  });

  it('have one for each service', () => {
    const input = small();
    const services = { ...input.services, other: { backends: 3 } };
    const fleet = new Fleet({ ...input, services, durationMs: 1_000 }, { seed: 1 }).run();
    expect(backendRows(fleet).map(({ service, backends }) => [service, backends])).toEqual([
      ['shop', 1],
      ['other', 3],
    ]);
    // One that nobody uses is ideal, and not a division by zero.
    expect(backendRows(fleet)[1]).toMatchObject({ cpuShare: 0, maxOverMean: 1, waste: 0 });
  });
});

describe('requestRows', () => {
  it('have one row where there is one criticality', () => {
    const about12 = expect.closeTo(12, 0);
    const rows = requestRows(twoSpeeds({ backends: 1 }), { policy: 'x' });
    expect(rows).toEqual([
      {
        section: 'requests',
        policy: 'x',
        clients: 'users',
        criticality: 'CRITICAL',
        offeredPerSecond: 40,
        goodputPerSecond: 40,
        servedShare: 1,
        shedShare: 0,
        throttledShare: 0,
        unsentShare: 0,
        errorShare: 0,
        retriesShare: 0,
        p50Ms: about12,
        p90Ms: about12,
        p99Ms: about12,
        p999Ms: about12,
      },
    ]);
  });

  it('have one for each of several, and one for all', () => {
    const criticality = { SHEDDABLE: 1, CRITICAL_PLUS: 1 };
    const rows = requestRows(twoSpeeds({}, { criticality }));
    expect(rows.map((row) => row['criticality'])).toEqual(['SHEDDABLE', 'CRITICAL_PLUS', 'all']);
    const [sheddable, critical, all] = rows.map((row) => row['offeredPerSecond'] as number);
    expect(sheddable! + critical!).toBeCloseTo(all!, 9);
  });

  it('have one for all where nothing was offered, without any latency', () => {
    const rows = requestRows(twoSpeeds({}, { arrivals: 0 }));
    expect(rows).toMatchObject([{ criticality: 'all', offeredPerSecond: 0, servedShare: 0, p50Ms: null }]);
  });

  it('divide by what was offered: shed with limited, errors, retries', () => {
    const limited = requestRows(twoSpeeds({ quota: { everyoneElse: 0 } }))[0]!;
    expect(limited).toMatchObject({ goodputPerSecond: 0, servedShare: 0, shedShare: 1, p99Ms: null });
    const retry = { retry: { maxAttempts: 2, budget: 10 } };
    const failing = requestRows(twoSpeeds({ failureShare: 1 }, retry))[0]!;
    expect(failing).toMatchObject({ errorShare: 1, retriesShare: 1, goodputPerSecond: 0 });
    const quota = { everyoneElse: 0 };
    const throttled = requestRows(twoSpeeds({ quota }, { throttle: {} }))[0]! as Record<string, number>;
    expect(throttled['throttledShare']).toBeGreaterThan(0.8);
    expect(throttled['throttledShare']! + throttled['shedShare']!).toBeCloseTo(1, 9);
    const faults = [{ kind: 'kill', service: 'shop', backends: 2, atMs: 0, forMs: 1e6 } as const];
    const down = new Fleet(
      { ...small({ backends: 2 }, { arrivals: 50 }), faults, durationMs: 500 },
      { seed: 1 },
    );
    expect(requestRows(down.run())[0]).toMatchObject({ unsentShare: 1 });
  });
});

describe('how even CPU is', () => {
  it('is told over the whole run', () => {
    const { min, max, mean } = cpuOverRun(twoSpeeds(), 'shop');
    expect([min, max, mean]).toEqual([
      expect.closeTo(0.1, 2),
      expect.closeTo(0.2, 2),
      expect.closeTo(0.15, 2),
    ]);
  });

  it('is told of the typical stretch', () => {
    const fleet = twoSpeeds();
    expect(typicalPeak(fleet, 'shop', 1)).toBeCloseTo(0.2 / 0.15, 1);
    expect(typicalPeak(fleet, 'shop', 2)).toBeCloseTo(cpuOverRun(fleet, 'shop').maxOverMean, 9);
    // Of none nothing is uneven.
    expect(typicalPeak(fleet, 'shop', 3)).toBe(1);
    expect(() => typicalPeak(fleet, 'shop', 0)).toThrow('samplesPerStretch must be an integer >= 1, got 0');
  });

  it('shows a backend that is hot now and cold then, where the whole run does not', () => {
    // Each backend slow for one of two seconds: over both they are alike.
    const slow = (index: number, atMs: number) => ({
      kind: 'slow' as const,
      service: 'shop',
      backends: [index],
      atMs,
      forMs: 1_000,
      factor: 3,
    });
    const arrivals = { perSecond: 40, process: 'even' } as const;
    const faults = [slow(0, 0), slow(1, 1_000)];
    const fleet = new Fleet(
      { ...small({ backends: 2 }, { arrivals }), faults, durationMs: 2_000 },
      { seed: 1 },
    ).run();
    expect(cpuOverRun(fleet, 'shop').maxOverMean).toBeLessThan(1.05);
    expect(typicalPeak(fleet, 'shop', 1)).toBeGreaterThan(1.4);
  });
});

describe('figures', () => {
  it('draw the CPU of every backend as a thin line, over seconds since the measured time began', () => {
    const panel = cpuPanel(twoSpeeds(), 'shop', 'shops');
    expect(panel).toMatchObject({ kind: 'lines', title: 'shops' });
    expect(panel.lines.map(({ name, isThin }) => [name, isThin])).toEqual([
      ['shop-0', true],
      ['shop-1', true],
    ]);
    expect(panel.lines.map(({ points }) => points)).toEqual([
      [
        [1, expect.closeTo(0.2, 1)],
        [2, expect.closeTo(0.2, 1)],
      ],
      [
        [1, expect.closeTo(0.1, 1)],
        [2, expect.closeTo(0.1, 1)],
      ],
    ]);
  });

  it('draw rates per second, whatever the stretch', () => {
    const arrivals = { perSecond: 40, process: 'even' } as const;
    const input = { ...small({}, { arrivals }), durationMs: 1_000 };
    for (const sampleMs of [250, 500, 1_000]) {
      const fleet = new Fleet(input, { seed: 1, sampleMs }).run();
      const { name, points } = rateLine(fleet, 'users', 'asked', ({ offered }) => offered);
      expect(name).toBe('asked');
      expect(points).toHaveLength(1_000 / sampleMs);
      expect(points.at(-1)![0]).toBe(1);
      for (const [, perSecond] of points) expect(perSecond).toBeCloseTo(40, 6);
    }
  });

  it('draw nothing of a fleet that has not run', () => {
    const fleet = new Fleet(small(), { seed: 1 });
    expect(rateLine(fleet, 'users', 'asked', ({ offered }) => offered).points).toEqual([]);
    expect(cpuPanel(fleet, 'shop', 'shops').lines[0]!.points).toEqual([]);
  });
});
