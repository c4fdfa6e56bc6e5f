import { describe, expect, it } from 'vitest';
import { LocalityDoor } from './locality-door.js';
import { SmallFleet, small } from './small-fleet.contract.js';

/** Two backends near and two far, each of which may be sent 20 requests a second. */
function twoZones(client: object = {}, group: object = {}) {
  const fleet = small(
    {
      costMs: 1,
      backends: [
        { count: 2, locality: 'near', ...group },
        { count: 2, locality: 'far', ...group },
      ],
    },
    { locality: 'near', localities: { capacityPerBackend: 20 }, ...client },
  );
  return { ...fleet, network: { delayMs: 1, betweenLocalitiesMs: 4 } };
}

/** What each locality was sent. */
function sent({ fleet }: SmallFleet): Record<string, number> {
  const counts: Record<string, number> = { near: 0, far: 0 };
  for (const { locality, tally } of fleet.services[0]!.backends) counts[locality]! += tally.arrivals;
  return counts;
}

describe('a client with localities', () => {
  it('uses the nearest while there is room', () => {
    const model = new SmallFleet(twoZones());
    for (let at = 0; at < 1_000; at += 50) model.ask(at);
    model.run(1_100);
    expect(sent(model)).toEqual({ near: 20, far: 0 });
    expect(model.ends.every(({ latencyMs }) => latencyMs === 3)).toBe(true);
  });

  it('goes on to the next with what is too much, and refuses what is too much for all', () => {
    const model = new SmallFleet(twoZones());
    // 100 in a second: 40 here, 40 there, and 20 nowhere.
    for (let at = 0; at < 1_000; at += 10) model.ask(at);
    model.run(1_100);
    expect(sent(model)).toEqual({ near: 40, far: 40 });
    const unsent = model.ends.filter(({ end }) => end === 'unsent');
    expect(unsent).toHaveLength(20);
    expect(unsent.every(({ latencyMs, retries }) => latencyMs === 0 && retries === 0)).toBe(true);
    expect(new Set(model.ends.map(({ latencyMs }) => latencyMs))).toEqual(new Set([3, 11, 0]));
    expect(model.ends).toHaveLength(100);
  });

  it('is never sent past a capacity, in any second', () => {
    const model = new SmallFleet(twoZones());
    const arrivals: number[] = [];
    for (const index of [0, 1]) {
      const { tally } = model.backend(index);
      const { onArrival } = tally;
      tally.onArrival = (attempt) => {
        arrivals.push(model.fleet.kernel.now);
        onArrival.call(tally, attempt);
      };
    }
    for (let at = 0; at < 5_000; at += 10) model.ask(at);
    model.run(6_000);
    for (const from of arrivals) {
      const inSecond = arrivals.filter((at) => at >= from && at < from + 1_000).length;
      expect(inSecond).toBeLessThanOrEqual(40);
    }
    expect(arrivals.length).toBeGreaterThan(180);
  });

  it('turns to others at once when the nearest is gone, and back when it is there again', () => {
    const model = new SmallFleet(twoZones());
    for (let at = 0; at < 6_000; at += 100) model.ask(at);
    model.at(1_050, (model) => {
      for (const index of [0, 1]) model.backend(index).lifecycle.kill(1_000);
    });
    model.run(1_060);
    expect(sent(model)).toEqual({ near: 11, far: 0 });
    model.run(2_000);
    expect(sent(model)).toEqual({ near: 11, far: 9 });
    expect(model.ends.every(({ end }) => end === 'served')).toBe(true);
    const before = sent(model.run(4_990))['near']!;
    expect(sent(model.run(5_990))['near']! - before).toBe(10);
  });

  it('counts retries against the capacity too', () => {
    const backends = [{ count: 1, locality: 'near', failsFastShare: 1 }];
    const client = { localities: { capacityPerBackend: 2 }, retry: { maxAttempts: 3, budget: 9 } };
    const fleet = twoZones(client);
    const model = new SmallFleet({ ...fleet, services: { shop: { backends } } }).ask(0).run(100);
    expect(model.ends).toMatchObject([{ end: 'failed', retries: 1 }]);
  });

  it('shares capacities with the other clients of its group', () => {
    const model = new SmallFleet(twoZones({ count: 4 }));
    for (let at = 0; at < 1_000; at += 10) model.ask(at, { client: 0 });
    model.run(1_100);
    expect(sent(model)).toEqual({ near: 10, far: 10 });
    expect(model.ends.filter(({ end }) => end === 'unsent')).toHaveLength(80);
  });

  it('counts on no more of its subset than is its own: no backend is sent past its capacity', () => {
    const model = new SmallFleet(twoZones({ count: 4, subset: { size: 1 } }));
    for (let client = 0; client < 4; client++) {
      for (let at = 0; at < 1_000; at += 20) model.ask(at + client, { client });
    }
    model.run(1_100);
    for (const { tally } of model.fleet.services[0]!.backends) expect(tally.arrivals).toBeLessThanOrEqual(20);
    expect(sent(model)).toEqual({ near: 20, far: 20 });
  });

  it('listens to how busy backends say they are', () => {
    const model = new SmallFleet(twoZones({ localities: { capacityPerBackend: 1_000 } }, { cores: 0.1 }));
    // 100 requests of 1 ms a second are half of what the near ones have, then all of it.
    for (let at = 0; at < 10_000; at += at < 3_000 ? 20 : 5) model.ask(at);
    model.run(2_000);
    expect(sent(model)['far']).toBe(0);
    model.run(11_000);
    const { door } = model.fleet.clients[0]!;
    const { localities } = (door as LocalityDoor).router.snapshot(model.link().process.clock.toLocal(10_000));
    expect(door).toBeInstanceOf(LocalityDoor);
    expect(localities.map(({ name }) => name)).toEqual(['near', 'far']);
    expect(sent(model)['far']).toBeGreaterThan(100);
  });
});

it('has a link for each locality, and without localities one for all', () => {
  const near = new SmallFleet(twoZones()).fleet.clients[0]!.door.links;
  expect(near.map(({ roster }) => [...roster.members()].map(({ key }) => key))).toEqual([
    ['shop-0', 'shop-1'],
    ['shop-2', 'shop-3'],
  ]);
  const { localities, ...anywhere } = twoZones().clients['users']!;
  const all = new SmallFleet({ ...twoZones(), clients: { users: anywhere } }).fleet.clients[0]!.door.links;
  expect(all.map(({ roster }) => [...roster.members()].length)).toEqual([4]);
  expect(localities).toBeDefined();
});
