import { describe, expect, it } from 'vitest';
import { heldBy, NOTHING, SmallFleet, small, twoLayers } from './small-fleet.contract.js';

/** How many are told what becomes of a backend. */
function toldOf(model: SmallFleet, index: number, service: string): number {
  const { kernel } = model.fleet;
  const before = kernel.scheduled;
  model.backend(index, service).becomeLameDuck();
  return kernel.scheduled - before;
}

it('calls for the kind it is told to, the first unless told', () => {
  const kinds = { cheap: { costMs: 10 }, dear: { costMs: 50 } };
  const latencies = [undefined, 'cheap', 'dear'].map((kind) => {
    const call = kind === undefined ? {} : { kind };
    return new SmallFleet(twoLayers({}, { kinds }, call)).ask(0).run(500).ends[0]!.latencyMs;
  });
  expect(latencies[0]).toBe(latencies[1]);
  expect(latencies[2]! - latencies[1]!).toBeCloseTo(40, 6);
});

describe('a process that refuses', () => {
  it('uses CPU for it, which others have to do without', () => {
    const quota = { customers: { greedy: 0 }, everyoneElse: 100 };
    const model = new SmallFleet(small({ quota, guard: { refusalCostMs: 5 } }))
      .ask(0, { customer: 'greedy' })
      .ask(0)
      .run(100);
    // Both share the core for 10 ms, then there is only the one that is served, for 5 more.
    expect(model.ends).toEqual([
      { end: 'limited', atMs: 12, latencyMs: 12, retries: 0 },
      { end: 'served', atMs: 17, latencyMs: 17, retries: 0 },
    ]);
    expect(model.backend().machine.processor.usedMs()).toBe(15);
    expect(model.backend().tally).toMatchObject({ arrivals: 2, served: 1, refused: 1 });
  });

  it('uses none without a guard', () => {
    const model = new SmallFleet(small({ quota: { everyoneElse: 0 }, guard: false })).ask(0).run(100);
    expect(model.ends).toEqual([{ end: 'limited', atMs: 2, latencyMs: 2, retries: 0 }]);
  });

  it('says so when its work for that is done, and not when it dies before', () => {
    const model = new SmallFleet(small({ quota: { everyoneElse: 0 }, guard: { refusalCostMs: 50 } }))
      .ask(0)
      .at(20, (model) => model.backend().lifecycle.kill(5))
      .run(2_000);
    expect(model.ends).toEqual([{ end: 'broken', atMs: 21, latencyMs: 21, retries: 0 }]);
    expect(model.backend().machine.processor.active).toBe(0);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('answers one whose deadline has passed with nothing that anybody would hear', () => {
    const model = new SmallFleet(small())
      .at(0, (model) => model.backend().machine.pause(100))
      .ask(5, { deadlineMs: 10 })
      .run(200);
    expect(model.ends).toEqual([{ end: 'timed-out', atMs: 15, latencyMs: 10, retries: 0 }]);
    expect(model.backend().tally).toMatchObject({ arrivals: 1, refused: 1, refusedBy: { deadline: 1 } });
    expect(heldBy(model)).toEqual(NOTHING);
  });
});

describe('a request that nobody waits for any more', () => {
  /** One that is given up after 5 of its 10 ms, and how many a second the backend says it serves. */
  function abandoned(guard: false | object) {
    const model = new SmallFleet(small({ guard })).ask(0, { deadlineMs: 6 }).run(50);
    const { requestsPerSecond } = model.backend().process.report(50);
    return { model, requestsPerSecond };
  }

  it('is run to its end, and given back', () => {
    for (const guard of [false, {}] as const) {
      const { model } = abandoned(guard);
      expect(model.ends).toMatchObject([{ end: 'timed-out', atMs: 6 }]);
      expect(model.backend().tally).toMatchObject({ arrivals: 1, wasted: 1, served: 0, failed: 0 });
      expect(model.backend().machine.processor.usedMs()).toBe(10);
      expect(heldBy(model)).toEqual(NOTHING);
    }
  });

  it('is one that was served to a server without a guard, which knows no better', () => {
    expect(abandoned(false).requestsPerSecond).toBe(1);
    expect(abandoned({}).requestsPerSecond).toBe(0);
  });

  it('is not begun when it still waits for its turn', () => {
    const model = new SmallFleet(small({ guard: { concurrency: 1 }, costMs: 50 }))
      .ask(0)
      .ask(1, { deadlineMs: 20 })
      .run(22.5);
    // Given up at 21, and the backend hears of it a millisecond later.
    expect(model.backend().process.activeCount).toBe(1);
    expect(model.backend().process.guard.gate.waiting).toBe(0);
    model.run(200);
    expect(model.ends.map(({ end, atMs }) => [end, atMs])).toEqual([
      ['timed-out', 21],
      ['served', 52],
    ]);
    expect(model.backend().tally).toMatchObject({ arrivals: 2, served: 1, wasted: 0, refused: 0 });
    expect(model.backend().machine.processor.usedMs()).toBe(50);
  });

  it('may be given up while the process stands still', () => {
    const model = new SmallFleet(small({ guard: { concurrency: 1 }, costMs: 50 }))
      .ask(0)
      .ask(1, { deadlineMs: 20 })
      .at(10, (model) => model.backend().machine.pause(100))
      .run(200);
    expect(model.ends.map(({ end, atMs }) => [end, atMs])).toEqual([
      ['timed-out', 21],
      ['served', 142],
    ]);
    expect(heldBy(model)).toEqual(NOTHING);
  });
});

describe('a process that has just started', () => {
  it('needs more CPU, less and less of it', () => {
    const model = new SmallFleet(small({ startMs: 10, warmup: { forMs: 1_000, factor: 3 } }))
      .at(0, (model) => model.backend().lifecycle.kill(90))
      // Ready at 100; it arrives 1 ms after it was sent.
      .ask(349)
      .ask(599)
      .ask(1_099)
      .ask(5_000)
      .run(6_000);
    expect(model.ends.map(({ latencyMs }) => latencyMs)).toEqual([27, 22, 12, 12]);
  });

  it('is none that was a lame duck for a while: that one is as warm as before', () => {
    const model = new SmallFleet(small({ warmup: { forMs: 1_000, factor: 3 } }))
      .at(0, (model) => model.backend().lifecycle.lameDuck(100))
      .ask(110)
      .run(200);
    expect(model.ends).toMatchObject([{ end: 'served', latencyMs: 12 }]);
  });

  it('is not one that has been up for ever, as the fleet begins', () => {
    const model = new SmallFleet(small({ warmup: { forMs: 1_000, factor: 3 } })).ask(0).run(100);
    expect(model.ends).toMatchObject([{ latencyMs: 12 }]);
  });

  it('has learned nothing: its gate is a new one', () => {
    const model = new SmallFleet(small({ startMs: 10, guard: { concurrency: 1 } })).ask(0).ask(1).ask(2);
    const { process } = model.backend();
    model.at(5, (model) => model.backend().lifecycle.kill(5)).run(30);
    const next = model.backend().process;
    expect(next).not.toBe(process);
    expect(next.guard.gate.inFlight).toBe(0);
    expect(next.activeCount).toBe(0);
    expect(process.activeCount).toBe(0);
    expect(model.ends.map(({ end }) => end)).toEqual(['broken', 'broken', 'broken']);
  });
});

describe('a process that is dead', () => {
  it('does nothing any more, whatever is still set to wake it', () => {
    const model = new SmallFleet(small({ guard: { concurrency: 1 } })).ask(0).ask(0).ask(0);
    model
      .at(5, ({ fleet: { services } }) => {
        const { machine, process, lifecycle } = services[0]!.backends[0]!;
        machine.pause(60);
        lifecycle.kill(500);
        // As if its limit had grown meanwhile.
        process.guard.limiter.cancel();
      })
      .run(400);
    expect(model.ends.map(({ end, atMs }) => [end, atMs])).toEqual([
      ['broken', 6],
      ['broken', 6],
      ['broken', 6],
    ]);
    // 4 ms, and none after its death.
    expect(model.backend().machine.processor.usedMs()).toBe(4);
    expect(model.backend().machine.processor.active).toBe(0);
  });

  it('makes no more calls, and takes back those it made', () => {
    const retry = { retry: { maxAttempts: 3, budget: 9 } };
    const model = new SmallFleet(twoLayers({ startMs: 500 }, { backends: 2, costMs: 50 }, retry)).ask(0);
    const link = model.backend(0, 'front').process.calls[0]!;
    model
      .at(10, (model) => {
        expect(link.activeCount).toBe(1);
        model.backend(0, 'front').lifecycle.kill(100);
      })
      .run(10);
    expect(link.activeCount).toBe(0);
    // What it had called breaks as well: nobody is left to try again.
    model.at(20, (model) => model.chosen('back').lifecycle.kill(1_000)).run(600);
    const attempts = model.fleet.service('back').backends.map(({ tally }) => tally.arrivals);
    expect(attempts.sort()).toEqual([0, 1]);
    expect(model.ends).toEqual([{ end: 'broken', atMs: 11, latencyMs: 11, retries: 0 }]);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('hears no answer that was under way to it', () => {
    const model = new SmallFleet(twoLayers())
      .ask(0)
      // The call is answered at 17, and the answer would be there at 18.
      .at(17.5, (model) => model.backend(0, 'front').lifecycle.kill(100))
      .run(2_000);
    expect(model.ends).toEqual([{ end: 'broken', atMs: 18.5, latencyMs: 18.5, retries: 0 }]);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('has let go of calls that waited for their turn, at the backend and at its own door', () => {
    const fleet = twoLayers({}, { guard: { concurrency: 1 }, costMs: 80 }, { activeLimit: 2 });
    const model = new SmallFleet(fleet).ask(0).ask(0).ask(0);
    const link = model.backend(0, 'front').process.calls[0]!;
    model.run(20);
    expect([link.activeCount, link.waitingCount]).toEqual([2, 1]);
    model.at(20, (model) => model.backend(0, 'front').lifecycle.kill(1_000)).run(21.5);
    expect([link.activeCount, link.waitingCount, link.caller.line.size]).toEqual([0, 0, 0]);
    const { gate } = model.backend(0, 'back').process.guard;
    // What ran, runs; what waited, was taken back.
    expect([gate.inFlight, gate.waiting]).toEqual([1, 0]);
    model.run(500);
    expect(model.backend(0, 'back').tally).toMatchObject({ arrivals: 2, wasted: 1, served: 0 });
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('leaves nothing behind, however often it dies', () => {
    const fleet = twoLayers({ startMs: 10, costMs: 1 }, { backends: 3, costMs: 1 }, { policy: 'prequal' });
    const model = new SmallFleet(fleet).run(1_000);
    const before = model.fleet.kernel.scheduled;
    for (let at = 1_000; at < 3_000; at += 100) {
      model.ask(at + 50).at(at + 52, (model) => model.backend(0, 'front').lifecycle.kill(10));
    }
    model.run(3_700);
    expect(model.ends).toHaveLength(20);
    expect(model.fleet.kernel.scheduled).toBe(before);
    expect(toldOf(model, 0, 'back')).toBe(1);
  });

  it('is not brought back by news that was under way to it', () => {
    const fleet = twoLayers({ startMs: 100 }, { backends: 6, startMs: 1e6 }, { subset: { size: 2 } });
    const model = new SmallFleet(fleet)
      .at(0, (model) => {
        for (const { lifecycle } of model.fleet.service('back').backends.slice(1)) lifecycle.kill(1e6);
      })
      .at(0.5, (model) => model.backend(0, 'front').lifecycle.kill(1e6))
      .run(50);
    expect(toldOf(model, 0, 'back')).toBe(0);
  });
});

it('a clock that leaps while calls are made and wait loses none of them', () => {
  for (const [rate, jumpMs] of [
    [0.5, 0],
    [2, 0],
    [1, 5_000],
  ] as const) {
    const fleet = twoLayers({}, { costMs: 60 }, { activeLimit: 1 });
    const model = new SmallFleet(fleet)
      .ask(0, { deadlineMs: 200 })
      .ask(1, { deadlineMs: 200 })
      .ask(2, { deadlineMs: 200 })
      .at(10, (model) => model.backend(0, 'front').disturbClock(rate, jumpMs))
      .run(1_000);
    expect(model.ends).toHaveLength(3);
    expect(heldBy(model)).toEqual(NOTHING);
  }
});

it('a deadline by a clock that was slowed down is later, and still one', () => {
  // The front’s clock goes at half its rate from 10 on: of the 100 ms, 90 remain, which take 180.
  const model = new SmallFleet(twoLayers({}, { costMs: 500 }))
    .ask(0, { deadlineMs: 100 })
    .at(10, (model) => model.backend(0, 'front').disturbClock(0.5, 0));
  const link = model.backend(0, 'front').process.calls[0]!;
  model.run(189);
  expect(link.activeCount).toBe(1);
  model.run(191);
  expect(link.activeCount).toBe(0);
  expect(model.ends).toMatchObject([{ end: 'timed-out', atMs: 100 }]);
});
