import { describe, expect, it } from 'vitest';
import { heldBy, NOTHING, SmallFleet, small, twoLayers } from './small-fleet.contract.js';
import type { FleetInput } from './spec/index.js';

const members = (model: SmallFleet) => [...model.link().roster.members()].map(({ key }) => key);
const numbers = (model: SmallFleet) => members(model).map((key) => Number(key.split('-')[1]));

describe('a subset', () => {
  it('is as large as it should be, or as there are backends', () => {
    expect(members(new SmallFleet(small({ backends: 10 }, { subset: { size: 3 } })))).toHaveLength(3);
    expect(members(new SmallFleet(small({ backends: 2 }, { subset: { size: 3 } })))).toHaveLength(2);
    expect(members(new SmallFleet(small({ backends: 10 })))).toHaveLength(10);
  });

  it('is all that a client ever uses', () => {
    const model = new SmallFleet(small({ backends: 10 }, { subset: { size: 3 } }));
    for (let at = 0; at < 1_000; at += 10) model.ask(at);
    model.run(1_100);
    const used = model.fleet.services[0]!.backends.filter(({ tally }) => tally.arrivals > 0);
    expect(used.map(({ key }) => key).sort()).toEqual(members(model).sort());
  });

  it('replaces who refuses by another one, and gives its place back when it is ready', () => {
    const model = new SmallFleet(small({ backends: 10, startMs: 100 }, { subset: { size: 3 } }));
    const before = numbers(model);
    const [first] = before;
    model.at(10, (model) => model.backend(first).lifecycle.kill(100)).run(12);
    const meanwhile = numbers(model);
    expect(meanwhile).toHaveLength(3);
    expect(meanwhile).not.toContain(first);
    expect(meanwhile).toEqual(expect.arrayContaining(before.slice(1)));
    // While it starts it is not back; once it is ready it is.
    expect(numbers(model.run(200))).toEqual(meanwhile);
    expect(numbers(model.run(212)).sort()).toEqual(before.toSorted());
  });

  it('does not stand anybody in who is down as well', () => {
    const model = new SmallFleet(small({ backends: 12, startMs: 100 }, { subset: { size: 3 } }));
    const isUp = (index: number) => index === 7;
    model
      .at(10, (model) => {
        for (let index = 0; index < 12; index++) if (!isUp(index)) model.backend(index).lifecycle.kill(500);
      })
      .ask(50)
      .ask(60)
      .run(100);
    expect(numbers(model)).toEqual([7]);
    expect(model.ends).toMatchObject([
      { end: 'served', latencyMs: 12 },
      { end: 'served', latencyMs: 12 },
    ]);
  });

  it('keeps to its own when nobody is up, and is whole again with them', () => {
    const model = new SmallFleet(small({ backends: 5, startMs: 100 }, { subset: { size: 2 } }));
    const before = numbers(model).sort();
    model
      .at(10, (model) => {
        for (let index = 0; index < 5; index++) model.backend(index).lifecycle.kill(500);
      })
      .ask(50)
      .run(100);
    expect(numbers(model).sort()).toEqual(before);
    expect(model.ends).toMatchObject([{ end: 'unsent' }]);
    model.ask(700).run(800);
    expect(numbers(model).sort()).toEqual(before);
    expect(model.ends[1]).toMatchObject({ end: 'served' });
  });

  it('of a process that starts while others are down is one of those that are up', () => {
    const call = { subset: { size: 2 } };
    const model = new SmallFleet(twoLayers({ startMs: 10 }, { backends: 6, startMs: 100 }, call));
    model
      .at(10, (model) => {
        for (let index = 0; index < 5; index++) model.backend(index, 'back').lifecycle.kill(500);
        model.backend(0, 'front').lifecycle.kill(5);
      })
      .ask(50)
      .run(200);
    const { roster } = model.backend(0, 'front').process.calls[0]!;
    expect([...roster.members()].map(({ key }) => key)).toEqual(['back-5']);
    expect(model.ends).toMatchObject([{ end: 'served' }]);
  });

  it('sees no news of others before it is told: a partition of one is not found out by the death of another', () => {
    const model = new SmallFleet(small({ backends: 10 }, { subset: { size: 3 } }));
    const [first, second] = numbers(model);
    model
      .at(10, (model) => {
        model.backend(first).cutOff();
        model.backend(second).lifecycle.kill(5_000);
      })
      .run(100);
    expect(members(model)).not.toContain(`shop-${second}`);
    expect(model.link().roster.get(`shop-${first}`)!.state).toBe('ready');
  });

  it('of different clients differs, so that together they use all', () => {
    const { fleet } = new SmallFleet(small({ backends: 10 }, { count: 5, subset: { size: 2 } }));
    const used = fleet.clients.flatMap(({ door }) => [...door.links[0]!.roster.members()]);
    expect(new Set(used.map(({ key }) => key)).size).toBe(10);
  });
});

describe('a call that waits for a backend', () => {
  it('goes on at once when one becomes ready', () => {
    const model = new SmallFleet(small({ backends: 2, costMs: 90, startMs: 0 }, { activeLimit: 1 }))
      .at(0, (model) => model.backend(1).lifecycle.kill(10))
      .ask(2)
      .ask(3)
      .run(200);
    // Ready at 10, which is known at 11.
    expect(model.ends.map(({ atMs }) => atMs)).toEqual([94, 11 + 92]);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('goes on when a request ends, however it ends', () => {
    const model = new SmallFleet(small({ costMs: 90 }, { activeLimit: 1 }))
      .ask(0, { deadlineMs: 20 })
      .ask(1)
      .run(300);
    // The first is given up at 20. The backend still works on it until 91, with half of its core until then.
    expect(model.ends).toMatchObject([{ end: 'timed-out', atMs: 20 }, { end: 'served' }]);
    expect(model.backend().tally).toMatchObject({ arrivals: 2, served: 1, wasted: 1 });
  });

  it('made by a process that stands still goes on when that does', () => {
    const model = new SmallFleet(twoLayers({ costMs: 2 }, { costMs: 300 }, { activeLimit: 1 }))
      .ask(0)
      .ask(5)
      .at(50, (model) => model.backend(0, 'front').machine.pause(400))
      .run(2_000);
    // It waits from 7 on, until 107. The process finds that out when it moves again, at 400.
    expect(model.ends).toMatchObject([
      { end: 'shed', atMs: 401 },
      { end: 'served', atMs: 402 },
    ]);
    expect(heldBy(model)).toEqual(NOTHING);
  });
});

it('news for a process that stands still waits for it', () => {
  const model = new SmallFleet(twoLayers({ costMs: 2 }, { backends: 2, costMs: 300 }, { activeLimit: 1 }))
    .at(0, (model) => model.backend(1, 'back').lifecycle.lameDuck(50))
    .ask(5)
    .ask(6)
    .at(10, (model) => model.backend(0, 'front').machine.pause(90))
    .run(2_000);
  // The second call is not made when there is a backend for it, at 51, but when the process hears of that.
  expect(model.ends).toEqual([
    { end: 'served', atMs: 311, latencyMs: 306, retries: 0 },
    { end: 'served', atMs: 394, latencyMs: 388, retries: 0 },
  ]);
});

describe('an answer to a process that stands still', () => {
  it('waits for it', () => {
    const model = new SmallFleet(twoLayers({}, { failureShare: 1 }))
      .ask(0)
      .at(10, (model) => model.backend(0, 'front').machine.pause(200))
      .run(300);
    expect(model.ends).toEqual([{ end: 'failed', atMs: 201, latencyMs: 201, retries: 0 }]);
  });

  it('may come when its deadline has passed there, and then is late', () => {
    const model = new SmallFleet(twoLayers({}, { costMs: 20 }))
      .ask(0, { deadlineMs: 100 })
      .at(10, (model) => model.backend(0, 'front').machine.pause(200))
      .run(300);
    expect(model.ends).toMatchObject([{ end: 'timed-out', atMs: 100 }]);
    expect(heldBy(model)).toEqual(NOTHING);
  });
});

it('a deadline that passes while the process stands still is noticed when it moves', () => {
  const model = new SmallFleet(twoLayers({}, { costMs: 500 }))
    .ask(0, { deadlineMs: 100 })
    .at(50, (model) => model.backend(0, 'front').machine.pause(200));
  const link = model.backend(0, 'front').process.calls[0]!;
  const active = [99, 150, 199, 200].map((at) => {
    model.run(at);
    return link.activeCount;
  });
  expect(active).toEqual([1, 1, 1, 0]);
});

it('asks every backend in turn, and knows how many requests it has where', () => {
  const model = new SmallFleet(small({ backends: 3, costMs: 50 }));
  for (let at = 0; at < 9; at++) model.ask(at);
  model.run(10);
  expect(model.link().activeCount).toBe(9);
  expect([0, 1, 2].map((index) => model.backend(index).tally.arrivals)).toEqual([3, 3, 3]);
  expect(model.link().waitingCount).toBe(0);
});

it('throttles as its spec says, or not at all', () => {
  const quota = { customers: { greedy: 0 }, everyoneElse: 100 };
  const throttled = (throttle: false | { k: number; windowMs: number }) => {
    const model = new SmallFleet(small({ quota }, { throttle }));
    for (let at = 0; at < 1_000; at += 10) model.ask(at, { customer: 'greedy' });
    return model.run(2_000).ends.filter(({ end }) => end === 'throttled').length;
  };
  expect(throttled(false)).toBe(0);
  expect(throttled({ k: 2, windowMs: 10_000 })).toBeGreaterThan(60);
});

it('ejects who fails, if it should', () => {
  const failing = [{ count: 4 }, { count: 1, failsFastShare: 1 }];
  const failed = (ejects: boolean) => {
    const model = new SmallFleet(small({ backends: failing }, { ejects }));
    for (let at = 0; at < 2_000; at += 20) model.ask(at);
    return model.run(3_000).ends.filter(({ end }) => end === 'failed').length;
  };
  expect(failed(false)).toBe(20);
  expect(failed(true)).toBe(5);
});

describe('ejection at five times the load', () => {
  const SPEEDS = [1.6, 1.3, 1.1, 0.9, 0.8, 0.6];
  const MIX = { CRITICAL_PLUS: 1, CRITICAL: 8, SHEDDABLE: 11 };
  type Faults = NonNullable<FleetInput['faults']>;
  /** All stand next to still for a while: whatever is under way comes too late, everywhere. */
  const STALLS = [3_000, 9_000].map((atMs): Faults[number] => ({
    kind: 'slow',
    service: 'shop',
    backends: 6,
    atMs,
    forMs: 1_500,
    factor: 50,
  }));

  /** Who was ejected, in the order of it. */
  function ejectedOf(faults: Faults, policy: 'weighted' | 'round-robin'): string[] {
    const service = { backends: SPEEDS.map((speed) => ({ count: 1, speed })), costMs: 10 };
    // 630 a second are what they can do.
    const client = {
      arrivals: 3_150,
      criticality: MIX,
      policy,
      throttle: { windowMs: 12_000 },
      ejects: true,
    } as const;
    const model = new SmallFleet({ ...small(service, client), durationMs: 16_000, faults });
    const ejected = new Set<string>();
    for (let at = 0; at < 16_000; at += 100) {
      model.at(at, () => {
        for (const { key, outlier } of model.link().roster.members()) if (outlier.isEjected) ejected.add(key);
      });
    }
    model.fleet.run();
    return [...ejected];
  }

  it.each(['weighted', 'round-robin'] as const)(
    'hits nobody when deadlines pass on all in bursts: %s',
    (policy) => {
      expect(ejectedOf(STALLS, policy)).toEqual([]);
    },
  );

  it('finds the one that no longer answers all the same', () => {
    const gone: Faults[number] = {
      kind: 'partition',
      service: 'shop',
      backends: [2],
      atMs: 12_000,
      forMs: 4_000,
    };
    expect(ejectedOf([...STALLS, gone], 'round-robin')).toEqual(['shop-2']);
  });
});
