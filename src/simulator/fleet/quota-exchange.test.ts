import { describe, expect, it } from 'vitest';
import type { FleetInput } from './index.js';
import { SmallFleet, small } from './small-fleet.contract.js';

type FaultInput = NonNullable<FleetInput['faults']>[number];

const QUOTA = { customers: { big: 0.4 }, everyoneElse: 0.1 };

/** Two backends that report every 250 ms, to an exchange a millisecond away. */
function twoBackends(
  faults: FaultInput[] = [],
  everyMs = 250,
  network: FleetInput['network'] = { delayMs: 1 },
) {
  const input = small({ backends: 2, quota: { ...QUOTA, everyMs }, startMs: 100 });
  const model = new SmallFleet({ ...input, network, faults });
  model.fleet.services[0]!.exchange!.start();
  return model;
}

function member(model: SmallFleet, index: number) {
  const { process, clock } = model.backend(index);
  return process.guard.member!.snapshot(clock.toLocal(model.fleet.kernel.now));
}

const stages = (model: SmallFleet) => [0, 1].map((index) => member(model, index).stage);
const counts = (model: SmallFleet) => [0, 1].map((index) => member(model, index).backends);
const tokens = (model: SmallFleet) => [0, 1].map((index) => member(model, index).token);

/** All that `big` wants, 0.3 CPU-seconds a second, of the same backend: every second request only passes the turn on. */
function askOneOfThem(model: SmallFleet, untilMs: number): SmallFleet {
  for (let at = 20; at < untilMs; at += 33) {
    model.ask(at, { customer: 'big', order: 0 });
    model.ask(at, { customer: `one of ten ${at % 10}` });
  }
  return model.run(untilMs + 500);
}

interface Heard {
  readonly sender: string;
  readonly ageMs: number;
  readonly atMs: number;
}

/** What the coordinator of that instant is told from then on. */
function listenAt(model: SmallFleet, atMs: number): Heard[] {
  const heard: Heard[] = [];
  model.at(atMs, () => {
    const coordinator = model.fleet.services[0]!.exchange!.coordinator!;
    const report = coordinator.report.bind(coordinator);
    coordinator.report = (sender, told, ageMs, now) => {
      heard.push({ sender, ageMs, atMs: model.fleet.kernel.now });
      report(sender, told, ageMs, now);
    };
  });
  return heard;
}

const limited = (model: SmallFleet) => model.ends.filter(({ end }) => end === 'limited').length;

describe('a quota', () => {
  it('is divided equally until somebody knows better', () => {
    const model = twoBackends().run(20);
    expect(stages(model)).toEqual(['alone', 'alone']);
    const limits = [0, 1].map((index) => {
      const { process, clock } = model.backend(index);
      return process.guard.quota!.explain('big', clock.toLocal(20)).limits.CRITICAL_PLUS;
    });
    expect(limits).toEqual([0.2, 0.2]);
  });

  it('is kept where it is wanted: who is within it is refused nowhere', () => {
    expect(limited(askOneOfThem(twoBackends(), 20_000))).toBe(0);
    // In equal parts half of it would lie idle, once what is saved up is spent.
    expect(limited(askOneOfThem(twoBackends([], 1e9), 20_000))).toBeGreaterThan(20);
  });

  it('holds for the whole fleet: what is used is what may be, wherever it is asked for', () => {
    const quota = { customers: { big: 0.5 }, everyoneElse: 100 };
    const arrivals = { perSecond: 100, process: 'even' } as const;
    const fleet = small({ backends: 4, quota }, { customer: 'big', arrivals });
    const model = new SmallFleet({ ...fleet, warmupMs: 10_000, durationMs: 10_000 });
    model.fleet.run();
    const { ends, offered } = model.fleet.group('users').traffic.all;
    expect(ends.served + ends.limited).toBe(offered);
    // 50 a second of 10 ms each.
    expect(ends.served / offered).toBeGreaterThan(0.47);
    expect(ends.served / offered).toBeLessThan(0.53);
  });

  it('holds for a criticality and all lower ones together', () => {
    const quota = { everyoneElse: { perSecond: 100, upTo: { SHEDDABLE: 0 } } };
    const model = new SmallFleet(small({ quota }));
    model.ask(10, { criticality: 'SHEDDABLE' }).ask(10, { criticality: 'SHEDDABLE_PLUS' }).run(100);
    expect(model.ends.map(({ end }) => end)).toEqual(['limited', 'served']);
  });
});

describe('a quota that holds when there is too much', () => {
  /** Ten times what may be used. */
  function limitedShare(perSecond: number, enforce: 'always' | 'when-overloaded'): number {
    const arrivals = { perSecond, process: 'even' } as const;
    const quota = { everyoneElse: perSecond / 1_000, enforce };
    const input = { ...small({ quota }, { arrivals }), warmupMs: 10_000, durationMs: 5_000 };
    const { ends, offered } = new SmallFleet(input).fleet.run().group('users').traffic.all;
    return ends.limited / offered;
  }

  it('refuses nothing while there is room, and as much as any other when there is none', () => {
    expect(limitedShare(40, 'always')).toBeGreaterThan(0.85);
    expect(limitedShare(40, 'when-overloaded')).toBe(0);
    expect(limitedShare(400, 'when-overloaded')).toBeGreaterThan(0.3);
  });
});

describe('levels', () => {
  it('are heard by all, and say how many there are', () => {
    const model = twoBackends().run(3_000);
    expect(stages(model)).toEqual(['fresh', 'fresh']);
    expect(counts(model)).toEqual([2, 2]);
    expect(tokens(model)).toEqual([1, 1]);
  });

  it('are for those that are up', () => {
    const model = twoBackends()
      .at(3_000, (model) => model.backend(1).lifecycle.kill(5_000))
      .run(6_000);
    expect(member(model, 0).backends).toBe(1);
    // Back at 8,100. It knows nothing of what its predecessor heard, and asks.
    expect(stages(model.run(8_050))).toEqual(['fresh', 'alone']);
    expect(stages(model.run(8_700))).toEqual(['fresh', 'fresh']);
    expect(counts(model.run(9_500))).toEqual([2, 2]);
  });

  it('do not reach those that are cut off, nor those their reports', () => {
    const fault: FaultInput = {
      kind: 'partition',
      service: 'shop',
      backends: [1],
      atMs: 3_000,
      forMs: 5_000,
    };
    const model = twoBackends([fault]).run(7_500);
    expect(stages(model)).toEqual(['fresh', 'holding']);
    expect(counts(model)).toEqual([1, 2]);
    expect(stages(model.run(9_000))).toEqual(['fresh', 'fresh']);
    expect(counts(model)).toEqual([2, 2]);
  });

  it('wait for a process that stands still', () => {
    const model = twoBackends()
      .at(3_000, (model) => model.backend(1).machine.pause(8_000))
      .run(7_900);
    expect(counts(model)).toEqual([1, 2]);
    expect(stages(model.run(8_400))).toEqual(['fresh', 'fresh']);
    expect(counts(model.run(9_500))).toEqual([2, 2]);
  });

  it('may get lost, as reports may', () => {
    const model = twoBackends([], 250, { delayMs: 1, lossShare: 0.3 });
    for (let at = 5_000; at < 20_000; at += 500) expect(stages(model.run(at))).toEqual(['fresh', 'fresh']);
  });
});

describe('reports', () => {
  it('are read once each, by how long they have been there', () => {
    const fault: FaultInput = {
      kind: 'partition',
      service: 'shop',
      backends: [1],
      atMs: 3_000,
      forMs: 5_000,
    };
    const model = twoBackends([fault]);
    const heard = listenAt(model, 2_000);
    model.run(6_000);
    const of = (sender: string) => heard.filter((each) => each.sender === sender);
    // Every 250 ms from 2,000 on; of the other until it is cut off, and what was under way.
    expect(of('shop-0 1')).toHaveLength(17);
    expect(of('shop-1 1').length).toBeLessThanOrEqual(6);
    for (const { ageMs } of heard) expect(ageMs).toBeLessThan(250);
  });

  it('of a process that has started anew are somebody else’s', () => {
    const model = twoBackends().at(3_000, (model) => model.backend(1).lifecycle.kill(500));
    const heard = listenAt(model, 2_000);
    model.run(5_000);
    const senders = new Set(heard.map(({ sender }) => sender));
    expect([...senders].sort()).toEqual(['shop-0 1', 'shop-1 1', 'shop-1 2']);
  });
});

describe('a coordinator that is gone', () => {
  const fault: FaultInput = { kind: 'coordinator-gone', service: 'shop', atMs: 3_000, forMs: 5_000 };

  it('is missed, and followed by another one', () => {
    const model = twoBackends([fault]).run(5_700);
    expect(stages(model)).toEqual(['fresh', 'fresh']);
    expect(stages(model.run(7_000))).toEqual(['holding', 'holding']);
    expect(model.fleet.faults.healedMs).toBeUndefined();
    expect(stages(model.run(10_000))).toEqual(['fresh', 'fresh']);
    expect(tokens(model)).toEqual([2, 2]);
    expect(model.fleet.faults.healedMs).toBe(8_000);
  });

  it('has left its levels, for those who start meanwhile', () => {
    const model = twoBackends([fault]).at(3_100, (model) => model.backend(1).lifecycle.kill(500));
    expect(stages(model.run(3_500))[0]).toBe('fresh');
    expect(stages(model.run(4_500))).toEqual(['fresh', 'fresh']);
    expect(tokens(model)).toEqual([1, 1]);
  });

  it('is followed by one alone, however many faults end at once', () => {
    const model = twoBackends([fault, { ...fault, atMs: 4_000 }]).run(8_500);
    expect(model.fleet.services[0]!.exchange!.coordinator).toBeUndefined();
    expect(tokens(model.run(11_000))).toEqual([2, 2]);
  });
});

describe('an exchange that is gone', () => {
  const fault: FaultInput = { kind: 'exchange-gone', service: 'shop', atMs: 3_000, forMs: 40_000 };

  it('is missed ever more, and has all back at last', () => {
    const model = twoBackends([fault]).run(8_000);
    expect(stages(model)).toEqual(['holding', 'holding']);
    expect(stages(model.run(42_000))).toEqual(['safe', 'safe']);
    // Whoever was coordinator may believe it for as long as it had been told.
    expect(stages(model.run(44_400))).toEqual(['safe', 'safe']);
    expect(stages(model.run(47_000))).toEqual(['fresh', 'fresh']);
    expect([counts(model), tokens(model)]).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(model.fleet.faults.healedMs).toBe(43_000);
  });

  it('is empty when it is back', () => {
    // This one knows nobody when it is, and nobody knows it.
    const model = twoBackends([fault]).at(42_000, (model) => model.backend(1).lifecycle.kill(100));
    expect(stages(model.run(44_400))).toEqual(['safe', 'alone']);
    expect(counts(model.run(48_000))).toEqual([2, 2]);
  });

  it('has forgotten who had reported', () => {
    const short: FaultInput = { ...fault, forMs: 4_100 };
    const model = twoBackends([short]).at(4_000, (model) => model.backend(1).lifecycle.kill(60_000));
    const heard = listenAt(model, 8_601);
    model.run(10_000);
    expect(new Set(heard.map(({ sender }) => sender))).toEqual(new Set(['shop-0 1']));
  });

  it('gets one coordinator, also if that goes before it has begun', () => {
    const short: FaultInput = { ...fault, kind: 'coordinator-gone', atMs: 43_500, forMs: 200 };
    const model = twoBackends([fault, short]).run(50_000);
    expect(tokens(model)).toEqual([2, 2]);
  });

  it('has no coordinator, whatever becomes of that meanwhile', () => {
    const short: FaultInput = { ...fault, kind: 'coordinator-gone', forMs: 1_000 };
    const model = twoBackends([fault, short, { ...fault, atMs: 4_000 }]).run(44_900);
    expect(model.fleet.services[0]!.exchange!.coordinator).toBeUndefined();
    expect(tokens(model.run(48_000))).toEqual([2, 2]);
  });
});
