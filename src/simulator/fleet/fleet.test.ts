import { describe, expect, it } from 'vitest';
import { POLICY_NAMES, type PolicyName } from '../../core/picking/index.js';
import { Fleet } from './fleet.js';
import { backendRows, requestRows } from './fleet-report.js';
import { heldBy, NOTHING, SmallFleet, small } from './small-fleet.contract.js';
import type { FleetInput } from './spec/index.js';

/** A bit of everything: two layers, chance in all that can be drawn, and a fault of each kind. */
const CHAOS: FleetInput = {
  durationMs: 2_000,
  warmupMs: 500,
  network: { delayMs: { lognormal: { median: 0.5, sigma: 0.5 } }, betweenLocalitiesMs: 1, lossShare: 0.005 },
  services: {
    web: {
      backends: [
        { count: 2, cores: 2 },
        { count: 2, locality: 'east', failsFastShare: 0.05 },
      ],
      kinds: { page: { costMs: { exponential: { mean: 8 } }, waitMs: 2 }, upload: { costMs: 20 } },
      calls: [{ service: 'db', times: 2, subset: { size: 3 }, retry: { maxAttempts: 2, budget: 0.5 } }],
      guard: { degradedCost: 0.3 },
      startMs: 200,
      spreadMs: 100,
      drainMs: 300,
      warmup: { forMs: 500, factor: 2 },
      pauses: { everyMs: 400, forMs: { uniform: { from: 5, to: 30 } } },
    },
    db: {
      backends: [{ count: 5, neighbours: { busyShare: 0.3, idleCores: 1, slowdown: 1.5, redrawMs: 300 } }],
      costMs: { pareto: { least: 2, shape: 3 } },
      failureShare: 0.02,
      quota: { customers: { robots: 0.4 }, everyoneElse: 10 },
      startMs: 100,
      spreadMs: 50,
      drainMs: 100,
    },
  },
  clients: {
    people: {
      count: 3,
      service: 'web',
      arrivals: 25,
      demand: { uniform: { from: 0.5, to: 1.5 } },
      criticality: { CRITICAL: 3, SHEDDABLE: 1 },
      kinds: { page: 5, upload: 1 },
      deadlineMs: 400,
      idempotentShare: 0.5,
      localities: { capacityPerBackend: 60 },
    },
    robots: {
      count: 2,
      service: 'web',
      arrivals: { perSecond: 25, spikes: [{ atMs: 1_200, forMs: 800, factor: 3 }] },
      criticality: 'SHEDDABLE_PLUS',
      customer: 'robots',
      policy: 'weighted',
      activeLimit: 5,
    },
  },
  faults: [
    { kind: 'kill', service: 'web', backends: 1, atMs: { from: 600, to: 1_000 }, forMs: 200 },
    { kind: 'restart', service: 'db', backends: [0, 1], batch: 1, atMs: 900 },
    { kind: 'restart', service: 'web', backends: 1, atMs: 1_500 },
    { kind: 'slow', service: 'db', backends: 2, atMs: 1_200, forMs: 500, factor: 5 },
    { kind: 'partition', service: 'db', backends: 1, atMs: 600, forMs: 1_300 },
    { kind: 'lame-duck', service: 'web', backends: { locality: 'east' }, atMs: 1_300, forMs: 300 },
    { kind: 'clock', service: 'web', backends: 2, atMs: 700, forMs: 900, rate: 1.5, jumpMs: 100 },
  ],
};

function chaos(seed: number): Fleet {
  return new Fleet(CHAOS, { seed }).run();
}

/** The same for a shorter time, with another policy. */
function withPolicy(policy: PolicyName): Fleet {
  const clients = Object.entries(CHAOS.clients).map(([name, spec]) => [name, { ...spec, policy }] as const);
  return new Fleet({ ...CHAOS, clients: Object.fromEntries(clients), durationMs: 700 }, { seed: 3 }).run();
}

const bytesOf = (fleet: Fleet) =>
  JSON.stringify([requestRows(fleet), backendRows(fleet), fleet.samples, fleet.kernel.events]);

describe('a fleet', () => {
  it('is the same to the byte for the same seed, and another for another', () => {
    const bytes = bytesOf(chaos(1));
    expect(bytesOf(chaos(1))).toBe(bytes);
    expect(bytesOf(chaos(2))).not.toBe(bytes);
  });

  it('meets the same requests whatever the policy', () => {
    const offered = POLICY_NAMES.map((policy) =>
      withPolicy(policy).groups.map(({ traffic }) => [
        traffic.of('CRITICAL').offered,
        traffic.of('SHEDDABLE').offered,
        traffic.of('SHEDDABLE_PLUS').offered,
      ]),
    );
    for (const each of offered) expect(each).toEqual(offered[0]);
    expect(offered[0]!.flat().filter((count) => count > 0).length).toBe(3);
  });

  it('ends every request once, and gives everything back, whatever happens to it', () => {
    for (const seed of [4, 5]) {
      const fleet = chaos(seed);
      for (const { traffic } of fleet.groups) {
        expect(traffic.all.ended).toBe(traffic.all.offered);
        expect(traffic.all.offered).toBeGreaterThan(100);
      }
      for (const { pending } of fleet.clients) expect(pending).toBe(0);
      fleet.kernel.runUntil(20_000);
      expect(heldBy({ fleet } as SmallFleet)).toEqual(NOTHING);
      expect(fleet.faults.healedMs).toBeLessThan(5_000);
      for (const { backends } of fleet.services) {
        for (const { lifecycle, connection } of backends) {
          expect([lifecycle.stage, connection]).toEqual(['up', 'ready']);
        }
      }
    }
  });

  it('leaves nothing scheduled but what goes on for ever', () => {
    const { faults: _, ...calm } = CHAOS;
    // Before anything has happened, its processes are made and everything periodic has begun.
    const { kernel } = new SmallFleet(calm).fleet;
    const fleet = chaos(1);
    // Now and then a probe is under way, or a process stands still.
    const scheduled = Array.from({ length: 20 }, (_, at) => {
      fleet.kernel.runUntil(20_000 + at * 37);
      return fleet.kernel.scheduled;
    });
    // Once it runs, each of the five that have a quota reports, and somebody coordinates.
    expect(Math.min(...scheduled)).toBe(kernel.scheduled + 5 + 1);
  });

  it('measures after its warm-up, and makes no request after its end', () => {
    const arrivals = { perSecond: 100, process: 'even' } as const;
    const fleet = new Fleet(
      { ...small({}, { arrivals, deadlineMs: 500 }), warmupMs: 1_000, durationMs: 2_000 },
      { seed: 1 },
    ).run();
    const { all } = fleet.group('users').traffic;
    expect(all.offered).toBe(200);
    expect(all.ends.served).toBe(200);
    expect(fleet.service('shop').backends[0]!.tally.arrivals).toBe(200);
    // A second, and the longest deadline, for the last ones.
    expect(fleet.kernel.now).toBe(1_000 + 2_000 + 500 + 1_000);
  });

  it('makes each client ask for its own part, which is all of it on average', () => {
    const input = small(
      {},
      { count: 40, arrivals: { perSecond: 5, process: 'even' }, demand: { exponential: { mean: 9 } } },
    );
    const fleet = new Fleet({ ...input, durationMs: 4_000 }, { seed: 1 }).run();
    const { offered } = fleet.group('users').traffic.all;
    // 800, give or take what forty draws differ by.
    expect(Math.abs(offered / 800 - 1)).toBeLessThan(4 / Math.sqrt(40));
    const even = new Fleet(
      { ...small({}, { count: 40, arrivals: 5 }), durationMs: 4_000 },
      { seed: 1 },
    ).run();
    expect(Math.abs(even.group('users').traffic.all.offered / 800 - 1)).toBeLessThan(4 / Math.sqrt(800));
  });

  it('draws kinds and criticalities as often as they should come, and what may be sent twice', () => {
    const kinds = { small: { costMs: 1 }, large: { costMs: 5 }, never: { costMs: 100 } };
    const client = {
      arrivals: 500,
      kinds: { small: 3, large: 1 },
      criticality: { CRITICAL: 1, SHEDDABLE: 4 },
      idempotentShare: 0.25,
    } as const;
    const model = new SmallFleet({ ...small({ kinds, backends: 4 }, client), durationMs: 2_000 });
    const { traffic } = model.fleet.groups[0]!;
    const seen: string[] = [];
    const onStart = traffic.onStart.bind(traffic);
    let idempotent = 0;
    traffic.onStart = (request) => {
      seen.push(request.kind.name);
      if (request.isIdempotent) idempotent++;
      onStart(request);
    };
    model.fleet.run();
    const share = (count: number) => count / seen.length;
    expect(share(seen.filter((kind) => kind === 'large').length)).toBeCloseTo(0.25, 1);
    expect(seen).not.toContain('never');
    expect(share(traffic.of('SHEDDABLE').offered)).toBeCloseTo(0.8, 1);
    expect(share(idempotent)).toBeCloseTo(0.25, 1);
  });

  it('without kinds of its own choosing draws all alike', () => {
    const kinds = { a: { costMs: 1 }, b: { costMs: 1 } };
    const { groups } = new SmallFleet(small({ kinds })).fleet;
    expect([0.1, 0.6].map((at) => groups[0]!.kind.draw(() => at).name)).toEqual(['a', 'b']);
  });

  it('may have no clients', () => {
    const fleet = new Fleet({ ...small(), clients: {} }, { seed: 1 }).run();
    expect(requestRows(fleet)).toEqual([]);
    expect(fleet.samples).toHaveLength(10);
  });

  it('may be as short as it likes', () => {
    const input = { ...small({}, { arrivals: 1_000 }), durationMs: 1e-6 };
    const fleet = new Fleet(input, { seed: 1 }).run();
    for (const row of [...requestRows(fleet), ...backendRows(fleet)]) {
      for (const value of Object.values(row)) expect(value).not.toBeNaN();
    }
  });

  it('says how far it is, and at the end that it is there', () => {
    const seen: [number, number][] = [];
    // Events in plenty, and no requests for them.
    const neighbours = { busyShare: 0.5, idleCores: 1, redrawMs: 0.1 };
    const input = small({ backends: [{ count: 1, neighbours }] });
    const fleet = new Fleet(input, {
      seed: 1,
      onProgress: (share, events) => seen.push([share, events]),
    }).run();
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)).toEqual([1, fleet.kernel.events]);
    for (const [index, [share, events]] of seen.entries()) {
      expect(share).toBeGreaterThan(seen[index - 1]?.[0] ?? 0);
      expect(events).toBeGreaterThan(seen[index - 1]?.[1] ?? 0);
    }
  });

  it('refuses a seed that is none, a fleet that is none, and names that mean nothing', () => {
    expect(() => new Fleet(small(), { seed: -1 })).toThrow(
      'seed must be an integer from 0 to 4294967295, got -1',
    );
    expect(() => new Fleet({ ...small(), durationMs: -1 }, { seed: 1 })).toThrow('durationMs');
    const { fleet } = new SmallFleet(small());
    expect(() => fleet.service('x')).toThrow('there is no service "x"');
    expect(() => fleet.group('x')).toThrow('there is no group of clients "x"');
  });
});
