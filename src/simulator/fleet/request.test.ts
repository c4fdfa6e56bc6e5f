import { describe, expect, it } from 'vitest';
import { heldBy, NOTHING, PLAIN, SmallFleet, small, twoLayers } from './small-fleet.contract.js';

/** Attempts, and a budget that pays for all of them. */
const RETRIES = { retry: { maxAttempts: 3, budget: 9 } } as const;

describe('a request is', () => {
  it('served: once there, its cost, once back', () => {
    const model = new SmallFleet(small()).ask(5).run(100);
    expect(model.ends).toEqual([{ end: 'served', atMs: 17, latencyMs: 12, retries: 0 }]);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('served after a wait without CPU, too', () => {
    const model = new SmallFleet(small({ waitMs: 30 })).ask(0).run(100);
    expect(model.ends).toMatchObject([{ end: 'served', latencyMs: 42 }]);
    expect(model.backend().machine.processor.usedMs()).toBe(10);
    const backends = [{ count: 1, waitFactor: 3 }];
    const slow = new SmallFleet(small({ waitMs: 30, backends })).ask(0).run(200);
    expect(slow.ends).toMatchObject([{ end: 'served', latencyMs: 102 }]);
  });

  it('failed: the handler’s own error, after all its work', () => {
    const model = new SmallFleet(small({ failureShare: 1 })).ask(0).run(100);
    expect(model.ends).toMatchObject([{ end: 'failed', latencyMs: 12 }]);
    expect(model.backend().tally).toMatchObject({ arrivals: 1, served: 0, failed: 1, refused: 0 });
  });

  it('failed at once and at no cost by a sinkhole', () => {
    const model = new SmallFleet(small({ backends: [{ count: 1, failsFastShare: 1 }] })).ask(0).run(100);
    expect(model.ends).toMatchObject([{ end: 'failed', latencyMs: 2 }]);
    expect(model.backend().machine.processor.usedMs()).toBe(0);
  });

  it('shed by a backend with too much, the least critical first, and cheaply', () => {
    // 300 requests a second that take 10 ms each, a third of them of each criticality.
    const model = new SmallFleet(small({ guard: { concurrency: 1, refusalCostMs: 0 } }));
    const criticalities = ['SHEDDABLE', 'SHEDDABLE_PLUS', 'CRITICAL'] as const;
    const ends = new Map<string, string[]>(criticalities.map((criticality) => [criticality, []]));
    model.onEnd = ({ criticality }, end) => ends.get(criticality)!.push(end);
    for (let at = 0; at < 1_200; at++) {
      model.ask((at * 10) / 3, { criticality: criticalities[at % 3]!, order: ((at * 7) % 100) / 100 });
    }
    model.run(6_000);
    // What the last second brought: the guard has found what there is room for.
    const served = (criticality: string) =>
      ends
        .get(criticality)!
        .slice(-100)
        .filter((end) => end === 'served').length;
    expect(served('CRITICAL')).toBeGreaterThan(90);
    expect(served('SHEDDABLE')).toBe(0);
    const all = [...ends.values()].flat();
    expect(all).toHaveLength(1_200);
    // The others waited in the queue until nobody waited for them any more.
    const inVain = all.filter((end) => end === 'timed-out').length;
    const { tally } = model.backend();
    expect(tally).toMatchObject({ arrivals: 1_200, wasted: 0, failed: 0 });
    expect(tally.served).toBe(all.filter((end) => end === 'served').length);
    expect(tally.refused - (tally.refusedBy.deadline ?? 0)).toBe(1_200 - tally.served - inVain);
    expect([...tally.refusedByRank].reduce((sum, count) => sum + count, 0)).toBe(tally.refused);
    expect(Object.values(tally.refusedBy).reduce((sum, count) => sum + count, 0)).toBe(tally.refused);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('limited when its customer has no quota left, and nobody else’s is', () => {
    const quota = { customers: { greedy: 0 }, everyoneElse: 100 };
    const model = new SmallFleet(small({ quota, guard: { refusalCostMs: 3 } }))
      .ask(0, { customer: 'greedy' })
      .ask(100)
      .run(200);
    expect(model.ends).toEqual([
      { end: 'limited', atMs: 5, latencyMs: 5, retries: 0 },
      { end: 'served', atMs: 112, latencyMs: 12, retries: 0 },
    ]);
    expect(model.backend().tally.refusedBy).toEqual({ quota: 1 });
  });

  it('throttled by its own client, which is refused so often', () => {
    const quota = { customers: { greedy: 0 }, everyoneElse: 100 };
    const model = new SmallFleet(small({ quota }, { throttle: {} }));
    for (let at = 0; at < 200; at++) model.ask(at * 10, { customer: 'greedy' });
    model.run(3_000);
    const ends = model.ends.map(({ end }) => end);
    // Nothing is refused before there are 20 to judge by; then all but 1 in 21, 1 in 22, …
    expect(ends.slice(0, 20)).toEqual(new Array(20).fill('limited'));
    const throttled = model.ends.filter(({ end }) => end === 'throttled');
    expect(throttled.length).toBeGreaterThan(150);
    expect(throttled.every(({ latencyMs }) => latencyMs === 0)).toBe(true);
    expect(model.backend().tally.arrivals).toBe(200 - throttled.length);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('unsent, at once, when there is no backend to send it to', () => {
    const model = new SmallFleet(small({ backends: 2 }))
      .at(0, (model) => {
        model.backend(0).lifecycle.kill(1_000);
        model.backend(1).lifecycle.lameDuck(1_000);
      })
      .ask(10)
      .run(100);
    expect(model.ends).toEqual([{ end: 'unsent', atMs: 10, latencyMs: 0, retries: 0 }]);
  });

  it('timed out at its deadline, to the millisecond', () => {
    const model = new SmallFleet(small()).ask(0, { deadlineMs: 5 }).run(100);
    expect(model.ends).toEqual([{ end: 'timed-out', atMs: 5, latencyMs: 5, retries: 0 }]);
    expect(model.backend().tally).toMatchObject({ arrivals: 1, served: 0, wasted: 1 });
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('timed out when the answer comes at its very deadline: late is late', () => {
    const model = new SmallFleet(small())
      .ask(0, { deadlineMs: 12 })
      .ask(100, { deadlineMs: 12.001 })
      .run(200);
    expect(model.ends).toMatchObject([
      { end: 'timed-out', atMs: 12 },
      { end: 'served', atMs: 112 },
    ]);
    // It was under way when the client gave up: to the backend it is served, once.
    expect(model.backend().tally).toMatchObject({ arrivals: 2, served: 2, wasted: 0 });
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('broken when the process dies that works on it', () => {
    const model = new SmallFleet(small())
      .ask(0)
      .at(5, (model) => model.backend().lifecycle.kill(50))
      .run(100);
    expect(model.ends).toEqual([{ end: 'broken', atMs: 6, latencyMs: 6, retries: 0 }]);
    expect(model.backend().machine.processor.usedMs()).toBe(4);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('lost with its message, until its deadline says so', () => {
    const fleet = small();
    const model = new SmallFleet({ ...fleet, network: { delayMs: 1, lossShare: 1 } }).ask(0).run(2_000);
    expect(model.ends).toEqual([{ end: 'timed-out', atMs: 1_000, latencyMs: 1_000, retries: 0 }]);
    expect(model.backend().tally.arrivals).toBe(0);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('degraded: by the cheaper handler, while there is nearly too much', () => {
    // 95 ms of work each 100 ms: half-way from where degrading begins to where everything is degraded.
    const guard = { signals: ['cpu' as const], degradedCost: 0.2 };
    const model = new SmallFleet(small({ costMs: 95, guard, calls: [] }));
    for (let at = 0; at < 100; at++) model.ask(at * 100, { order: at < 99 ? 0.99 : 0.01 });
    model.run(11_000);
    expect(model.ends.slice(0, 99).every(({ end }) => end === 'served')).toBe(true);
    expect(model.ends[99]).toEqual({ end: 'degraded', atMs: 9_921, latencyMs: 21, retries: 0 });
    expect(model.backend().tally.served).toBe(100);
  });
});

describe('a degraded answer', () => {
  it('waits for nothing and calls nobody', () => {
    const guard = { signals: ['cpu' as const], degradedCost: 0.1 };
    const model = new SmallFleet(twoLayers({ costMs: 90, waitMs: 3, guard }, { costMs: 1 }));
    for (let at = 0; at < 120; at++) model.ask(at * 96, { order: 0.99 });
    model.ask(120 * 96, { order: 0.001 }).run(13_000);
    expect(model.ends.at(-1)).toMatchObject({ end: 'degraded', latencyMs: 11 });
    expect(model.backend(0, 'back').tally.arrivals).toBe(120);
  });
});

describe('where all backends have as many requests as they may', () => {
  it('a request waits for the first that is done', () => {
    const model = new SmallFleet(small({}, { activeLimit: 1 })).ask(0).ask(2).ask(4).run(100);
    expect(model.ends).toEqual([
      { end: 'served', atMs: 12, latencyMs: 12, retries: 0 },
      { end: 'served', atMs: 24, latencyMs: 22, retries: 0 },
      { end: 'served', atMs: 36, latencyMs: 32, retries: 0 },
    ]);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('it waits for 100 ms, no longer, and not beyond its deadline', () => {
    const model = new SmallFleet(small({ costMs: 500 }, { activeLimit: 1 }))
      .ask(0)
      .ask(10)
      .ask(20, { deadlineMs: 30 })
      .ask(30, { deadlineMs: 99 })
      .run(1_000);
    expect(model.ends).toEqual([
      { end: 'unsent', atMs: 50, latencyMs: 30, retries: 0 },
      { end: 'unsent', atMs: 110, latencyMs: 100, retries: 0 },
      { end: 'unsent', atMs: 129, latencyMs: 99, retries: 0 },
      { end: 'served', atMs: 502, latencyMs: 502, retries: 0 },
    ]);
    expect(model.backend().tally.arrivals).toBe(1);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('it is sent as soon as another backend is ready', () => {
    const model = new SmallFleet(small({ backends: 2, costMs: 50, startMs: 0 }, { activeLimit: 1 }))
      .at(0, (model) => model.backend(1).lifecycle.lameDuck(20))
      .ask(2)
      .ask(3)
      .run(200);
    expect(model.ends).toEqual([
      { end: 'served', atMs: 54, latencyMs: 52, retries: 0 },
      { end: 'served', atMs: 21 + 52, latencyMs: 70, retries: 0 },
    ]);
  });
});

describe('attempts', () => {
  it('are made anew where the backend’s death may be survived, and counted', () => {
    const model = new SmallFleet(small({ backends: 2 }, RETRIES))
      .ask(0)
      .at(5, (model) => model.chosen().lifecycle.kill(1_000))
      .run(100);
    // Broken at 6, the second sent at once: 12 more.
    expect(model.ends).toEqual([{ end: 'served', atMs: 18, latencyMs: 18, retries: 1 }]);
    const attempts = [0, 1].map((index) => [...model.backend(index).tally.attempts]).sort();
    expect(attempts).toEqual([
      [0, 1, 0],
      [1, 0, 0],
    ]);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('are not made anew of what must not be done twice', () => {
    const model = new SmallFleet(small({ backends: 2 }, RETRIES))
      .ask(0, { isIdempotent: false })
      .at(5, (model) => model.chosen().lifecycle.kill(1_000))
      .run(100);
    expect(model.ends).toEqual([{ end: 'broken', atMs: 6, latencyMs: 6, retries: 0 }]);
  });

  it('are made anew of anything that was never begun: no connection', () => {
    const model = new SmallFleet(small({ backends: 2 }, RETRIES))
      .at(0, (model) => model.backend(0).lifecycle.kill(1_000))
      // Sent before anybody could hear of it.
      .ask(0.5, { isIdempotent: false })
      .ask(0.5, { isIdempotent: false })
      .run(100);
    expect(model.ends.map(({ end }) => end)).toEqual(['served', 'served']);
    expect(model.ends.map(({ retries }) => retries).sort()).toEqual([0, 1]);
    expect(model.backend(0).tally.arrivals).toBe(0);
  });

  it('are as many as may be, and then it is over', () => {
    const model = new SmallFleet(small({ failureShare: 1 }, RETRIES)).ask(0).run(100);
    expect(model.ends).toEqual([{ end: 'failed', atMs: 36, latencyMs: 36, retries: 2 }]);
    expect([...model.backend().tally.attempts]).toEqual([1, 1, 1]);
  });

  it('are not begun when the deadline is nearer than an answer', () => {
    const brokenAfter8Ms = (deadlineMs: number) =>
      new SmallFleet(small({ backends: 2 }, RETRIES))
        .ask(0)
        .ask(50, { deadlineMs })
        .at(57, (model) => model.requests[1]!.attempt!.backend.lifecycle.kill(1_000))
        .run(200).ends[1];
    // An answer takes 12 ms, as is known by then.
    expect(brokenAfter8Ms(20)).toEqual({ end: 'broken', atMs: 58, latencyMs: 8, retries: 0 });
    expect(brokenAfter8Ms(20.1)).toEqual({ end: 'served', atMs: 70, latencyMs: 20, retries: 1 });
  });

  it('are fewer where backends say that others are no better, if they may', () => {
    const arrivals = (advises: boolean) => {
      const guard = { concurrency: 1, refusalCostMs: 0, advises };
      const model = new SmallFleet(small({ guard }, RETRIES));
      for (let at = 0; at < 600; at++) model.ask(at * 5);
      return model.run(5_000).backend().tally.arrivals;
    };
    // Two times what there is room for: half of all would be sent three times.
    expect(arrivals(false)).toBeGreaterThan(1_000);
    expect(arrivals(true)).toBeLessThan(700);
  });

  it('beyond the third are counted with the third', () => {
    const model = new SmallFleet(small({ failureShare: 1 }, { retry: { maxAttempts: 5, budget: 9 } }))
      .ask(0)
      .run(100);
    expect(model.ends).toMatchObject([{ end: 'failed', retries: 4 }]);
    expect([...model.backend().tally.attempts]).toEqual([1, 1, 3]);
  });
});

describe('deadlines', () => {
  it('travel as the time that remains, between clocks that have nothing in common', () => {
    const model = new SmallFleet(twoLayers({}, { costMs: 50 })).ask(0, { deadlineMs: 300 }).run(20);
    const attempt = model.requests[0]!.attempt!;
    const call = attempt.pendingCall!.attempt!;
    const clocks = [model.fleet.clients[0]!, attempt.backend, call.backend].map(({ clock }) => clock);
    expect(new Set(clocks.map((clock) => clock.toLocal(0))).size).toBe(3);
    expect(attempt.backend.clock.toGlobal(attempt.deadlineMs)).toBeCloseTo(300, 6);
    expect(call.backend.clock.toGlobal(call.deadlineMs)).toBeCloseTo(300, 6);
  });

  it('of a request are those of its calls: nobody works for one that is over', () => {
    const model = new SmallFleet(twoLayers({}, { guard: { concurrency: 1 }, costMs: 40 }));
    // The second call waits behind the first, and its deadline passes.
    model.ask(0).ask(1, { deadlineMs: 30 }).run(200);
    expect(model.ends).toMatchObject([{ end: 'timed-out', atMs: 31 }, { end: 'served' }]);
    expect(model.backend(0, 'back').machine.processor.usedMs()).toBeCloseTo(40, 6);
    expect(heldBy(model)).toEqual(NOTHING);
  });
});

describe('calls', () => {
  it('are made in the middle of the work, one after the other', () => {
    const fleet = twoLayers({}, { costMs: 10 }, { times: 2 });
    const model = new SmallFleet({
      ...fleet,
      services: {
        ...fleet.services,
        front: {
          backends: 1,
          costMs: 10,
          waitMs: 7,
          calls: [
            { service: 'back', times: 2, ...PLAIN },
            { service: 'other', ...PLAIN },
          ],
        },
        other: { backends: 1, costMs: 3 },
      },
    })
      .ask(0)
      .run(200);
    // 1 + 5, 7 waiting, twice 12, once 5, 5 + 1.
    expect(model.ends).toEqual([{ end: 'served', atMs: 48, latencyMs: 48, retries: 0 }]);
    expect(model.backend(0, 'back').tally.arrivals).toBe(2);
    expect(model.backend(0, 'other').tally.arrivals).toBe(1);
  });

  it('are made for the same customer, as critical, with the same place in the order of refusal', () => {
    const model = new SmallFleet(twoLayers())
      .ask(0, { criticality: 'SHEDDABLE_PLUS', customer: 'someone', order: 0.123 })
      .run(8);
    const attempt = model.requests[0]!.attempt!.pendingCall!.attempt!;
    expect(attempt).toMatchObject({ criticality: 'SHEDDABLE_PLUS', customer: 'someone', order: 0.123 });
    expect(attempt.attempt).toBe(1);
  });

  it('that fail end the request as a failure, without the rest of its work', () => {
    const model = new SmallFleet(twoLayers({}, { failureShare: 1 })).ask(0).run(100);
    // 1 + 5, then 12 for the call, and 1 back.
    expect(model.ends).toEqual([{ end: 'failed', atMs: 19, latencyMs: 19, retries: 0 }]);
    expect(model.backend(0, 'front').machine.processor.usedMs()).toBe(5);
    expect(heldBy(model)).toEqual(NOTHING);
  });

  it('that fail cost their caller’s customer what was done, not what was not', () => {
    const quota = { everyoneElse: 100 };
    const model = new SmallFleet(twoLayers({ quota }, { failureShare: 1 })).ask(0).run(1_000);
    const { clock, process } = model.backend(0, 'front');
    const { customers } = process.guard.quota!.usage(clock.toLocal(1_000));
    expect(customers.map(({ customer }) => customer)).toEqual(['anyone']);
    // 5 ms of CPU, over the second.
    const charged = new SmallFleet(twoLayers({ quota, costMs: 5 })).ask(0).run(1_000).backend(0, 'front');
    const { customers: expected } = charged.process.guard.quota!.usage(charged.clock.toLocal(1_000));
    expect(customers[0]!.demandPerSecond).toBeCloseTo(expected[0]!.demandPerSecond, 6);
  });

  it('that meet an overload end it as one that must not be retried', () => {
    // Nobody to call: not sent, so it is an overload to whoever is above, which must not try again.
    const model = new SmallFleet({
      ...twoLayers(),
      clients: { users: { service: 'front', arrivals: 0, ...PLAIN, ...RETRIES } },
    })
      .at(0, (model) => model.backend(0, 'back').lifecycle.kill(5_000))
      .ask(10)
      .run(100);
    expect(model.ends).toEqual([{ end: 'shed', atMs: 17, latencyMs: 7, retries: 0 }]);
    expect(model.backend(0, 'front').tally).toMatchObject({ arrivals: 1, failed: 1 });
  });

  it('that are limited end it as limited', () => {
    const model = new SmallFleet(twoLayers({}, { quota: { everyoneElse: 0 } })).ask(0).run(100);
    expect(model.ends).toMatchObject([{ end: 'limited' }]);
  });

  it('that break are tried again, and else a failure', () => {
    const kill = (model: SmallFleet) => model.chosen('back').lifecycle.kill(5);
    const once = new SmallFleet(twoLayers()).ask(0).at(10, kill).run(100);
    expect(once.ends).toMatchObject([{ end: 'failed', latencyMs: 12 }]);
    const again = new SmallFleet(twoLayers({}, { backends: 2 }, RETRIES)).ask(0).at(10, kill).run(100);
    // Broken at 11 and sent anew: 12 more, then 5 + 1.
    expect(again.ends).toEqual([{ end: 'served', atMs: 29, latencyMs: 29, retries: 0 }]);
  });
});
