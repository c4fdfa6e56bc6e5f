import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatencyByLoad } from './latency-by-load.js';

/** The lowest number in flight of each level, written out another way. */
const LEVELS = Array.from({ length: 16 }, (_, inFlight) => inFlight);
for (let base = 16; base < 65_536; base *= 2) {
  for (let quarter = 0; quarter < 4; quarter++) LEVELS.push(base + (quarter * base) / 4);
}

function levelOf(inFlight: number): number {
  return LEVELS.findLastIndex((lowest) => lowest <= inFlight);
}

/** Each level answers for itself. */
const ALONE = { enough: 1, fewest: 1 };

describe('LatencyByLoad', () => {
  it('estimates by the median at the same load', () => {
    const latency = new LatencyByLoad(ALONE);
    for (const ms of [30, 10, 20]) latency.record(0, 2, ms);
    for (const ms of [300, 100, 200, 400]) latency.record(0, 3, ms);
    expect(latency.estimate(0, 2)).toBe(20);
    expect(latency.estimate(0, 3)).toBe(200);
  });

  it('takes similar loads together once there are many in flight', () => {
    const latency = new LatencyByLoad(ALONE);
    latency.record(0, 15, 15);
    latency.record(0, 16, 16);
    latency.record(0, 20, 20);
    latency.record(0, 100, 100);
    const asked = [15, 16, 19, 20, 23, 96, 111];
    expect(asked.map((inFlight) => latency.estimate(0, inFlight))).toEqual([15, 16, 16, 20, 20, 100, 100]);
  });

  it('asks the nearest load that knows, of two the lower', () => {
    const latency = new LatencyByLoad(ALONE);
    latency.record(0, 4, 40);
    latency.record(0, 8, 80);
    const asked = [0, 4, 5, 6, 7, 8, 9, 1_000_000];
    expect(asked.map((inFlight) => latency.estimate(0, inFlight))).toEqual([40, 40, 40, 40, 80, 80, 80, 80]);
  });

  it('knows how near two loads are on both sides of where it takes them together', () => {
    const latency = new LatencyByLoad(ALONE);
    latency.record(0, 15, 15);
    latency.record(0, 24, 24);
    // 16 to 19 are next to 15, and 20 to 23 to 24.
    expect([16, 19, 20, 23].map((inFlight) => latency.estimate(0, inFlight))).toEqual([15, 15, 24, 24]);
  });

  it('finds the level that a search over all borders finds', () => {
    const inFlight = fc.oneof(fc.nat(40), fc.nat(70_000));
    fc.assert(
      fc.property(
        fc.array(inFlight, { minLength: 1, maxLength: 12, size: 'max' }),
        inFlight,
        (recorded, asked) => {
          const latency = new LatencyByLoad({ ...ALONE, size: 1 });
          const newest = new Map<number, number>();
          for (const [index, load] of recorded.entries()) {
            latency.record(0, load, index);
            newest.set(levelOf(load), index);
          }
          const wanted = levelOf(asked);
          const [nearest] = [...newest.keys()].toSorted(
            (a, b) => Math.abs(a - wanted) - Math.abs(b - wanted) || a - b,
          );
          expect(latency.estimate(0, asked)).toBe(newest.get(nearest!));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('looks further when what is nearest is too old', () => {
    const latency = new LatencyByLoad({ ...ALONE, maxAgeMs: 1_000 });
    latency.record(0, 5, 50);
    latency.record(800, 9, 90);
    expect(latency.estimate(1_000, 5)).toBe(50);
    expect(latency.estimate(1_001, 5)).toBe(90);
    expect(latency.estimate(1_801, 5)).toBeUndefined();
  });

  it('keeps the last 16 latencies of two seconds unless told', () => {
    const latency = new LatencyByLoad(ALONE);
    for (let ms = 1; ms <= 100; ms++) latency.record(0, 1, ms);
    expect(latency.estimate(2_000, 1)).toBe(92);
    expect(latency.estimate(2_001, 1)).toBeUndefined();
  });

  it('knows nothing after an idle hour', () => {
    const latency = new LatencyByLoad(ALONE);
    expect(latency.estimate(0, 3)).toBeUndefined();
    for (let inFlight = 0; inFlight < 100; inFlight++) latency.record(0, inFlight, 10);
    for (const inFlight of [0, 3, 99]) expect(latency.estimate(3_600_000, inFlight)).toBeUndefined();
    latency.record(3_600_000, 0, 7);
    expect(latency.estimate(3_600_000, 65_535)).toBe(7);
  });

  it('takes an impossible load as the nearest possible', () => {
    const latency = new LatencyByLoad({ ...ALONE, size: 1 });
    latency.record(0, 0, 5);
    latency.record(0, -1, 1);
    latency.record(0, Number.POSITIVE_INFINITY, 9);
    expect([Number.NaN, 0, 0.9].map((load) => latency.estimate(0, load))).toEqual([1, 1, 1]);
    expect([65_535, 2 ** 40].map((load) => latency.estimate(0, load))).toEqual([9, 9]);
  });

  it('refuses impossible options', () => {
    expect(() => new LatencyByLoad({ size: 0 })).toThrow('size must be an integer >= 1, got 0');
    expect(() => new LatencyByLoad({ maxAgeMs: -1 })).toThrow('maxAgeMs must be a finite number > 0, got -1');
  });

  it('lets neighbours help out where too little is known, each by how much it knows', () => {
    const latency = new LatencyByLoad();
    for (let index = 0; index < 3; index++) latency.record(0, 5, 100);
    expect(latency.estimate(0, 5)).toBeUndefined(); // three are too few
    latency.record(0, 6, 20);
    expect(latency.estimate(0, 5)).toBe((3 * 100 + 20) / 4);
    for (let index = 0; index < 4; index++) latency.record(0, 4, 30);
    // 5, then the lower neighbour makes eight, and the upper is not asked any more.
    latency.record(0, 5, 100);
    expect(latency.estimate(0, 5)).toBe((4 * 100 + 4 * 30) / 8);
    for (let index = 0; index < 4; index++) latency.record(0, 5, 100);
    expect(latency.estimate(0, 5)).toBe(100); // eight of its own
  });

  it('refuses impossible options', () => {
    expect(() => new LatencyByLoad({ enough: 0 })).toThrow('enough must be an integer >= 1, got 0');
    expect(() => new LatencyByLoad({ fewest: 9 })).toThrow('fewest must be an integer from 1 to 8, got 9');
    expect(() => new LatencyByLoad({ sise: 9 } as object)).toThrow('latencyByLoad has no option "sise"');
  });
});
