import { describe, expect, it } from 'vitest';
import { heldBy, NOTHING, SmallFleet, small, twoLayers } from './small-fleet.contract.js';

/** What a client thinks of a backend. */
const stateOf = (model: SmallFleet, index = 0) => model.link().roster.get(`shop-${index}`)!.state;

describe('a backend that was killed', () => {
  it('answers nobody who has not heard of it yet: there is no connection', () => {
    const model = new SmallFleet(small())
      .at(0, (model) => model.backend().lifecycle.kill(100))
      .ask(0.5)
      .run(50);
    expect(model.ends).toEqual([{ end: 'broken', atMs: 2.5, latencyMs: 2, retries: 0 }]);
    expect(model.backend().tally.arrivals).toBe(0);
  });

  it('is heard of as fast as the network is, and when it starts and is ready', () => {
    const model = new SmallFleet(small({ startMs: 20 })).at(0, (model) => model.backend().lifecycle.kill(10));
    const seen = [0.9, 1, 10.9, 11, 30.9, 31].map((at) => stateOf(model.run(at)));
    expect(seen).toEqual(['ready', 'refusing', 'refusing', 'connecting', 'connecting', 'ready']);
  });

  it('refuses while it starts: others may have room', () => {
    const model = new SmallFleet(small({ startMs: 100, guard: { refusalCostMs: 0 } }))
      .at(0, (model) => model.backend().lifecycle.kill(0))
      // Sent when it was up, there when its successor starts.
      .ask(0)
      .run(50);
    expect(model.ends).toEqual([{ end: 'shed', atMs: 2, latencyMs: 2, retries: 0 }]);
    expect(model.backend().tally.refusedBy).toEqual({ 'not-ready': 1 });
  });

  it('breaks what waits, works, waits for others and is refused alike, each once', () => {
    const quota = { customers: { greedy: 0 }, everyoneElse: 100 };
    const guard = { concurrency: 2, refusalCostMs: 50 };
    const model = new SmallFleet(small({ costMs: 20, waitMs: 500, quota, guard, startMs: 10 }))
      .ask(0)
      .ask(40)
      .ask(41)
      .ask(42, { customer: 'greedy' })
      .at(45, (model) => {
        expect(model.backend().process.activeCount).toBe(4);
        model.backend().lifecycle.kill(20);
      })
      .run(2_000);
    expect(model.ends.map(({ end, atMs }) => [end, atMs])).toEqual(new Array(4).fill(['broken', 46]));
    expect(model.backend().tally).toMatchObject({ arrivals: 4, served: 0, failed: 0, wasted: 0, refused: 1 });
    expect(heldBy(model)).toEqual(NOTHING);
    // Nothing but the reading of CPU time is left.
    expect(model.fleet.kernel.scheduled).toBe(1);
  });
});

describe('a lame duck', () => {
  it('serves what still comes, and is sent nothing more', () => {
    const model = new SmallFleet(small({ backends: 2 }))
      .at(0, (model) => model.backend(0).lifecycle.lameDuck(500))
      .ask(0.5)
      .ask(0.5)
      .ask(10)
      .ask(20)
      .ask(30)
      .run(100);
    expect(model.ends.map(({ end }) => end)).toEqual(new Array(5).fill('served'));
    expect(model.backend(0).tally).toMatchObject({ arrivals: 1, served: 1 });
    expect(model.backend(1).tally).toMatchObject({ arrivals: 4, served: 4 });
    expect(stateOf(model)).toBe('lame-duck');
    expect(model.backend(0).process.guard.gate.state).toBe('lame-duck');
    expect(stateOf(model.run(502))).toBe('ready');
  });
});

describe('a partition', () => {
  it('loses what is sent there, and what is answered', () => {
    const model = new SmallFleet(small({ costMs: 50 }))
      .ask(0)
      .at(20, (model) => model.backend().cutOff())
      .ask(30)
      .at(900, (model) => model.backend().reconnect())
      .run(3_000);
    expect(model.ends).toEqual([
      { end: 'timed-out', atMs: 1_000, latencyMs: 1_000, retries: 0 },
      { end: 'timed-out', atMs: 1_030, latencyMs: 1_000, retries: 0 },
    ]);
    // It worked in vain on the first, and never heard of the second.
    expect(model.backend().tally).toMatchObject({ arrivals: 1, served: 1 });
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('is noticed within two seconds, and its end within one', () => {
    const noticed: number[] = [];
    const healed: number[] = [];
    for (let seed = 1; seed <= 20; seed++) {
      const model = new SmallFleet(small(), seed)
        .at(0, (model) => model.backend().cutOff())
        .at(5_000, (model) => model.backend().reconnect());
      const until = (state: string) => {
        while (stateOf(model) !== state) model.run(model.fleet.kernel.now + 10);
        return model.fleet.kernel.now;
      };
      noticed.push(until('refusing'));
      healed.push(until('ready') - 5_000);
    }
    expect(Math.min(...noticed)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...noticed)).toBeLessThanOrEqual(2_010);
    expect(Math.min(...healed)).toBeGreaterThan(0);
    expect(Math.max(...healed)).toBeLessThanOrEqual(1_010);
    expect(new Set(noticed).size).toBeGreaterThan(10);
  });

  it('is over when the last of those that overlap is', () => {
    const model = new SmallFleet(small());
    const backend = model.backend();
    model
      .at(0, () => backend.cutOff())
      .at(1_000, () => backend.cutOff())
      .at(3_000, () => backend.reconnect())
      .run(4_500);
    expect(backend.isPartitioned).toBe(true);
    expect(stateOf(model)).toBe('refusing');
    model.at(4_500, () => backend.reconnect()).run(5_501);
    expect(stateOf(model)).toBe('ready');
  });

  it('that is over before it is noticed changes nothing', () => {
    const model = new SmallFleet(small())
      .at(0, (model) => model.backend().cutOff())
      .at(500, (model) => model.backend().reconnect());
    for (let at = 0; at <= 3_000; at += 50) expect(stateOf(model.run(at))).toBe('ready');
  });

  it('lets no word out either: nobody hears of what becomes of it before it is over', () => {
    const model = new SmallFleet(small({ startMs: 100 }))
      .at(0, (model) => model.backend().cutOff())
      .at(10, (model) => model.backend().lifecycle.lameDuck(10_000))
      .run(900);
    // No health check has found it out yet.
    expect(stateOf(model)).toBe('ready');
    model.at(2_500, (model) => model.backend().reconnect()).run(2_400);
    expect(stateOf(model)).toBe('refusing');
    expect(stateOf(model.run(3_501))).toBe('lame-duck');
  });

  it('hides even a death: what was under way there is over when its deadline passes', () => {
    const model = new SmallFleet(small({ waitMs: 100 }))
      .ask(0)
      .at(20, (model) => model.backend().cutOff())
      .at(30, (model) => model.backend().lifecycle.kill(10))
      .run(2_000);
    expect(model.ends).toEqual([{ end: 'timed-out', atMs: 1_000, latencyMs: 1_000, retries: 0 }]);
  });

  it('lets through no word of a client that has given up', () => {
    const model = new SmallFleet(small({ guard: { concurrency: 1 }, costMs: 50 }))
      .ask(0)
      .ask(1, { deadlineMs: 20 })
      .at(10, (model) => model.backend().cutOff())
      .run(30);
    // It still waits there, and will be found to be late.
    expect(model.backend().process.guard.gate.waiting).toBe(1);
    model.run(2_000);
    expect(model.backend().tally.refusedBy).toEqual({ deadline: 1 });
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('lets through no word of its own either: whom it calls does not hear that it has given up', () => {
    const model = new SmallFleet(twoLayers({ costMs: 2 }, { guard: { concurrency: 1 }, costMs: 80 }))
      .ask(0)
      .ask(1, { deadlineMs: 30 })
      .at(20, (model) => model.backend(0, 'front').cutOff())
      .run(50);
    expect(model.backend(0, 'back').process.guard.gate.waiting).toBe(1);
    expect(model.backend(0, 'front').process.calls[0]!.activeCount).toBe(1);
  });

  it('cuts off its own calls as well, and their answers', () => {
    const model = new SmallFleet(twoLayers({ costMs: 2 }, { costMs: 30 }))
      .ask(0)
      .ask(50)
      // The first is being called for, the second not yet.
      .at(10, (model) => model.backend(0, 'front').cutOff())
      .run(49)
      .at(49, (model) => model.backend(0, 'front').reconnect())
      .at(51.5, (model) => model.backend(0, 'front').cutOff())
      .run(3_000);
    expect(model.ends.map(({ end }) => end)).toEqual(['timed-out', 'timed-out']);
    expect(model.backend(0, 'back').tally).toMatchObject({ arrivals: 1, served: 1 });
    expect(heldBy(model)).toEqual(NOTHING);
  });
});

it('an answer to a process that is cut off is lost, and not sent again when it is back', () => {
  const model = new SmallFleet(twoLayers({ costMs: 2 }, { costMs: 30 }))
    .ask(0)
    // The call is answered at 33.
    .at(30, (model) => model.backend(0, 'front').cutOff())
    .at(33.5, (model) => model.backend(0, 'front').reconnect())
    .run(3_000);
  expect(model.ends).toMatchObject([{ end: 'timed-out', atMs: 1_000 }]);
  expect(heldBy(model)).toEqual(NOTHING);
});

describe('a clock that goes wrong', () => {
  it('changes when the backend thinks it is, and loses nothing', () => {
    const model = new SmallFleet(small({ guard: { concurrency: 1 } }))
      .ask(0)
      .ask(1)
      .at(5, (model) => model.backend().disturbClock(2, 100))
      .ask(50)
      .at(100, (model) => model.backend().restoreClock(2))
      .ask(150)
      .run(300);
    expect(model.ends.map(({ end }) => end)).toEqual(new Array(4).fill('served'));
    expect(model.ends.map(({ latencyMs }) => latencyMs)).toEqual([12, 21, 12, 12]);
    // 100 at once, and 95 more while it ran twice as fast.
    const { clock } = model.backend();
    expect(clock.toLocal(300) - clock.toLocal(100)).toBeCloseTo(200, 6);
  });

  it('of a backend that waits for its turn makes it late, to its client broken', () => {
    const model = new SmallFleet(small({ guard: { concurrency: 1 }, costMs: 50 }))
      .ask(0)
      .ask(1)
      .at(10, (model) => model.backend().disturbClock(1, 5_000))
      .run(200);
    expect(model.ends.map(({ end }) => end)).toEqual(['served', 'broken']);
    expect(model.backend().tally.refusedBy).toEqual({ deadline: 1 });
  });

  it('twice runs at both rates together, and rightly once both are over', () => {
    const model = new SmallFleet(small());
    const backend = model.backend();
    const rateNow = () => {
      const { now } = model.fleet.kernel;
      return backend.clock.toLocal(now + 1_000) - backend.clock.toLocal(now);
    };
    const seen: number[] = [];
    model
      .at(0, () => backend.disturbClock(2, 0))
      .at(1, () => seen.push(rateNow()))
      .at(2, () => backend.disturbClock(0.5, 0))
      .at(3, () => seen.push(rateNow()))
      .at(4, () => backend.restoreClock(2))
      .at(5, () => seen.push(rateNow()))
      .at(6, () => backend.restoreClock(0.5))
      .at(7, () => seen.push(rateNow()))
      .run(10);
    expect(seen.map(Math.round)).toEqual([2_000, 1_000, 500, 1_000]);
  });
});

it('answers probes while it is up and moves, and at no other time', () => {
  const model = new SmallFleet(small({ startMs: 100 }));
  const backend = model.backend();
  const answers = (now: number) => backend.probe(model.run(now).fleet.kernel.now) !== undefined;
  expect(answers(0)).toBe(true);
  backend.machine.pause(10);
  expect(answers(5)).toBe(false);
  expect(answers(10)).toBe(true);
  backend.lifecycle.lameDuck(10);
  expect(answers(15)).toBe(false);
  backend.lifecycle.kill(10);
  expect(answers(20)).toBe(false);
  expect(answers(30)).toBe(false);
  expect(answers(200)).toBe(true);
  backend.cutOff();
  expect(answers(200)).toBe(false);
});

it('reads its CPU time, but not while it stands still', () => {
  const model = new SmallFleet(small({ costMs: 1_000 })).ask(0).run(500);
  const { applicationUtilization } = model.backend().process.report(500);
  // 1 − e^−0.4 and more: it has been busy all the time.
  expect(applicationUtilization).toBeGreaterThan(0.3);
  model.backend().machine.pause(5_000);
  model.run(4_000);
  expect(model.backend().process.report(4_000).applicationUtilization).toBe(applicationUtilization);
});
