import { describe, expect, it } from 'vitest';
import { Fleet } from './fleet.js';
import { REQUEST_ENDS } from './request.js';
import { SmallFleet, small } from './small-fleet.contract.js';

/** A hundred requests a second until the last tenth of a second, half of which fail. */
const STOPPING = {
  perSecond: 100,
  process: 'even' as const,
  steps: [{ atMs: 2_900, factor: 0 }],
};

function run(sampleMs: number, service: object = {}, durationMs = 2_000): Fleet {
  const input = small(
    { backends: 3, ...service },
    { arrivals: STOPPING, retry: { maxAttempts: 2, budget: 1 } },
  );
  return new Fleet({ ...input, warmupMs: 1_000, durationMs }, { seed: 1, sampleMs }).run();
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((added, each) => added + each, 0);

describe('samples', () => {
  it('cover the measured time, one stretch after the other', () => {
    const { samples } = run(250);
    expect(samples.map(({ fromMs, timeMs }) => [fromMs, timeMs])).toEqual(
      Array.from({ length: 8 }, (_, at) => [1_000 + at * 250, 1_250 + at * 250]),
    );
    // What does not fill a stretch at the end is in none.
    expect(run(300).samples).toHaveLength(6);
  });

  it('are one at least, however short the run', () => {
    const { samples } = run(1_000, {}, 400);
    expect(samples.map(({ fromMs, timeMs }) => [fromMs, timeMs])).toEqual([[1_000, 1_400]]);
    expect(sum(samples[0]!.services['shop']!.cpu)).toBeCloseTo(1, 1);
  });

  it('have all the CPU that was used', () => {
    const input = small(
      { backends: [{ count: 2, cores: 2, speed: 0.5 }, { count: 1 }], waitMs: 3 },
      { arrivals: STOPPING },
    );
    const model = new SmallFleet({ ...input, warmupMs: 1_000, durationMs: 2_000 });
    const { fleet } = model;
    const backends = fleet.services[0]!.backends;
    const usedBefore: number[] = [];
    model.at(1_000, () => usedBefore.push(...backends.map(({ machine }) => machine.processor.usedMs())));
    fleet.run();
    for (const [index, { machine, group }] of backends.entries()) {
      const shares = fleet.samples.map(({ services }) => services['shop']!.cpu[index]!);
      const usedMs = sum(shares) * 1_000 * group.cores;
      expect(usedMs).toBeCloseTo(machine.processor.usedMs() - usedBefore[index]!, 6);
      expect(usedMs).toBeGreaterThan(0);
    }
  });

  it('add up to what became of all requests', () => {
    const fleet = run(250, { failureShare: 0.5 });
    const { all } = fleet.group('users').traffic;
    const groups = fleet.samples.map((sample) => sample.groups['users']!);
    expect(sum(groups.map(({ offered }) => offered))).toBe(all.offered);
    expect(sum(groups.map(({ retries }) => retries))).toBe(all.retries);
    expect(all.retries).toBeGreaterThan(20);
    for (const end of REQUEST_ENDS) {
      expect(sum(groups.map(({ ends }) => ends[end]))).toBe(all.ends[end]);
    }
    const arrivals = fleet.samples.flatMap(({ services }) => [...services['shop']!.arrivals]);
    const counted = sum(fleet.service('shop').backends.map(({ tally }) => tally.arrivals));
    expect(sum(arrivals)).toBe(counted);
    expect(counted).toBe(all.offered + all.retries);
  });

  it('have the latencies of what ended in them, and null of nothing', () => {
    const fleet = run(100);
    const users = fleet.samples.map((sample) => sample.groups['users']!);
    expect(users.at(0)).toMatchObject({ p50Ms: expect.closeTo(12, 6), p99Ms: expect.closeTo(12, 6) });
    // The last stretch: at most the one whose answer was under way.
    const quiet = new Fleet(
      { ...small({}, { arrivals: { ...STOPPING, steps: [{ atMs: 0, factor: 0 }] } }), durationMs: 500 },
      { seed: 1, sampleMs: 100 },
    ).run();
    expect(quiet.samples).toHaveLength(5);
    expect(quiet.samples[0]!.groups['users']).toEqual({
      offered: 0,
      retries: 0,
      ends: Object.fromEntries(REQUEST_ENDS.map((end) => [end, 0])),
      p50Ms: null,
      p99Ms: null,
    });
  });

  it('say at their ends how many are ready, what each holds, and how much it may run at once', () => {
    const input = small({ backends: 3, startMs: 200, costMs: 5_000, guard: { concurrency: 7 } });
    const faults = [{ kind: 'kill' as const, service: 'shop', backends: [1], atMs: 150, forMs: 100 }];
    const model = new SmallFleet({ ...input, durationMs: 600, faults }, 1, 100);
    for (const at of [1, 2, 3]) model.ask(at, { deadlineMs: 900 });
    model.fleet.run();
    const shop = model.fleet.samples.map(({ services }) => services['shop']!);
    expect(shop.map(({ ready }) => ready)).toEqual([3, 2, 2, 2, 3, 3]);
    expect(shop.map(({ inFlight }) => [...inFlight])).toEqual([[1, 1, 1], ...new Array(5).fill([1, 0, 1])]);
    expect(shop.map(({ limit }) => [...limit])).toEqual(new Array(6).fill([7, 7, 7]));
  });
});
