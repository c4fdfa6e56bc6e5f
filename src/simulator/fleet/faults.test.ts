import { describe, expect, it } from 'vitest';
import type { FleetInput } from './index.js';
import { SmallFleet, small } from './small-fleet.contract.js';

type FaultInput = NonNullable<FleetInput['faults']>[number];

function faulty(faults: FaultInput[], service: object = {}, seed = 1): SmallFleet {
  return new SmallFleet({ ...small({ backends: 6, startMs: 50, ...service }), faults }, seed);
}

const where = { service: 'shop', atMs: 100 } as const;
const stages = (model: SmallFleet) =>
  model.fleet.services[0]!.backends.map(({ lifecycle }) => lifecycle.stage);
const victims = (model: SmallFleet) =>
  stages(model).flatMap((stage, index) => (stage === 'up' ? [] : [index]));

describe('the victims of a fault', () => {
  it('are so many, by chance, and none twice', () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 10; seed++) {
      const hit = victims(faulty([{ kind: 'kill', ...where, backends: 3, forMs: 100 }], {}, seed).run(110));
      expect(hit).toHaveLength(3);
      seen.add(hit.join());
    }
    expect(seen.size).toBeGreaterThan(4);
    expect(victims(faulty([{ kind: 'kill', ...where, backends: 6, forMs: 9 }]).run(105))).toHaveLength(6);
  });

  it('are those by number', () => {
    const model = faulty([{ kind: 'kill', ...where, backends: [4, 1], forMs: 100 }]).run(110);
    expect(victims(model)).toEqual([1, 4]);
  });

  it('are all of a locality', () => {
    const backends = [{ count: 2 }, { count: 3, locality: 'east' }];
    const model = faulty([{ kind: 'kill', ...where, backends: { locality: 'east' }, forMs: 100 }], {
      backends,
    }).run(110);
    expect(victims(model)).toEqual([2, 3, 4]);
  });
});

describe('the instant of a fault', () => {
  it('is the one that is said', () => {
    const model = faulty([{ kind: 'kill', ...where, backends: [0], forMs: 100 }]);
    expect(model.fleet.faults.firstMs).toBe(100);
    expect(victims(model.run(99.9))).toEqual([]);
    expect(victims(model.run(100))).toEqual([0]);
  });

  it('is drawn between two', () => {
    const instants = [1, 2, 3, 4, 5, 6].map((seed) => {
      const atMs = { from: 200, to: 300 };
      const fault: FaultInput = { kind: 'kill', service: 'shop', backends: [0], forMs: 5, atMs };
      return faulty([fault], {}, seed).fleet.faults.firstMs;
    });
    expect(Math.min(...instants)).toBeGreaterThanOrEqual(200);
    expect(Math.max(...instants)).toBeLessThanOrEqual(300);
    expect(new Set(instants).size).toBe(6);
  });

  it('is never without one, and everything is healed from the start', () => {
    const { faults } = faulty([]).fleet;
    expect(faults.firstMs).toBe(Number.POSITIVE_INFINITY);
    expect(faults.healedMs).toBe(0);
  });

  it('is the first of several', () => {
    const { faults } = faulty([
      { kind: 'slow', ...where, backends: 1, forMs: 1, factor: 2 },
      { kind: 'slow', service: 'shop', atMs: 30, backends: 1, forMs: 1, factor: 2 },
    ]).fleet;
    expect(faults.firstMs).toBe(30);
  });
});

describe('faults are over', () => {
  /** When all was over, to a millisecond. */
  function healedMs(faults: FaultInput[], service: object = {}): number | undefined {
    const model = faulty(faults, service);
    for (let at = 0; at < 2_000; at++) {
      if (model.run(at).fleet.faults.healedMs !== undefined) return model.fleet.faults.healedMs;
    }
    return undefined;
  }

  it('when what was killed is ready again', () => {
    expect(healedMs([{ kind: 'kill', ...where, backends: 2, forMs: 100 }])).toBe(250);
  });

  it('when what was slow, cut off, a lame duck or wrong about the time is as before', () => {
    const forMs = 100;
    expect(healedMs([{ kind: 'slow', ...where, backends: 2, forMs, factor: 3 }])).toBe(200);
    expect(healedMs([{ kind: 'partition', ...where, backends: 2, forMs }])).toBe(200);
    expect(healedMs([{ kind: 'lame-duck', ...where, backends: 2, forMs }])).toBe(200);
    expect(healedMs([{ kind: 'clock', ...where, backends: 2, forMs, rate: 2, jumpMs: 7 }])).toBe(200);
  });

  it('when the last batch of a restart is up', () => {
    const restart = { kind: 'restart', ...where, backends: 3, batch: 2 } as const;
    // Twice 20 ms to spread and 50 to start.
    expect(healedMs([restart], { spreadMs: 20 })).toBe(240);
  });

  it('when the last of all is', () => {
    const model = faulty([
      { kind: 'slow', ...where, backends: 1, forMs: 50, factor: 2 },
      { kind: 'kill', ...where, backends: 1, forMs: 200 },
      { kind: 'lame-duck', ...where, backends: 1, forMs: 100 },
    ]);
    const seen = [0, 160, 210, 349, 350].map((at) => model.run(at).fleet.faults.healedMs);
    expect(seen).toEqual([undefined, undefined, undefined, undefined, 350]);
  });

  it('not before one that comes when all others are over', () => {
    const model = faulty([
      { kind: 'slow', ...where, backends: 1, forMs: 50, factor: 2 },
      { kind: 'slow', service: 'shop', atMs: 500, backends: 1, forMs: 50, factor: 2 },
    ]);
    expect(model.run(300).fleet.faults.healedMs).toBeUndefined();
    expect(model.run(600).fleet.faults.healedMs).toBe(550);
  });
});

describe('a fault', () => {
  it('kills', () => {
    const model = faulty([{ kind: 'kill', ...where, backends: [0], forMs: 30 }]);
    const seen = [99, 100, 129, 130, 179, 180].map((at) => stages(model.run(at))[0]);
    expect(seen).toEqual(['up', 'down', 'down', 'starting', 'starting', 'up']);
  });

  it('restarts so many at a time, in their order, the next ones when the last are up', () => {
    const model = faulty([{ kind: 'restart', ...where, backends: [5, 0, 3, 1, 2], batch: 2 }], {
      spreadMs: 20,
    });
    const seen = [110, 180, 250, 320].map((at) => victims(model.run(at)));
    expect(seen).toEqual([[0, 5], [1, 3], [2], []]);
  });

  it('restarts one at a time when nothing else is said', () => {
    const model = faulty([{ kind: 'restart', ...where, backends: [1, 2] }], { spreadMs: 20 });
    expect([110, 180, 250].map((at) => victims(model.run(at)))).toEqual([[1], [2], []]);
  });

  it('waits with a restart for one that is down already', () => {
    const model = faulty(
      [
        { kind: 'kill', service: 'shop', atMs: 90, backends: [1], forMs: 200 },
        { kind: 'restart', ...where, backends: [1, 2] },
      ],
      { spreadMs: 20 },
    );
    // Down from 90 to 290 and ready at 340; then the other one.
    expect([330, 345, 500].map((at) => victims(model.run(at)))).toEqual([[1], [2], []]);
    expect(model.fleet.faults.healedMs).toBe(410);
  });

  it('makes slow, and two of them slower', () => {
    const slow = (factor: number, atMs: number, forMs: number): FaultInput => {
      return { kind: 'slow', service: 'shop', backends: [0], atMs, forMs, factor };
    };
    const model = faulty([slow(2, 100, 300), slow(3, 200, 100)], { backends: 1 });
    for (const at of [0, 110, 210, 310, 410]) model.ask(at);
    model.run(600);
    expect(model.ends.map(({ latencyMs }) => latencyMs)).toEqual([12, 22, 62, 22, 12]);
  });

  it('cuts off and reconnects', () => {
    const model = faulty([{ kind: 'partition', ...where, backends: [2], forMs: 50 }]);
    expect([99, 100, 149, 150].map((at) => model.run(at).backend(2).isPartitioned)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('makes lame ducks', () => {
    const model = faulty([{ kind: 'lame-duck', ...where, backends: [2], forMs: 50 }]);
    expect([99, 100, 149, 150].map((at) => stages(model.run(at))[2])).toEqual([
      'up',
      'lame-duck',
      'lame-duck',
      'up',
    ]);
  });

  it('disturbs clocks, and puts them right', () => {
    const model = faulty([{ kind: 'clock', ...where, backends: [2], forMs: 50, rate: 0.5, jumpMs: 1_000 }]);
    const { clock } = model.backend(2);
    const origin = clock.toLocal(0);
    const shown = [100, 150, 200].map((at) => clock.toLocal(model.run(at).fleet.kernel.now) - origin);
    expect(shown).toEqual([1_100, 1_125, 1_175]);
  });
});
