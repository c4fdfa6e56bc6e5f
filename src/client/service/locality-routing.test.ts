import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AdaptiveThrottle, RetryBudget } from '../../core/index.js';
import type { LocalityOptions } from '../client-options.js';
import { checkClientOptions } from '../client-settings.js';
import { FakeSocket } from '../connections/fake-socket.contract.js';
import type { Connector } from '../connections/socket-stash.js';
import type { ResolvedBackend } from '../resolving/index.js';
import { LocalityRouting } from './locality-routing.js';
import type { Service } from './service.js';
import type { ServiceGroup } from './service-group.js';

/** Backends in zones: `zoned({ here: 2 })` are `http://here-1:80` and `http://here-2:80`. */
function zoned(counts: Record<string, number>): ResolvedBackend[] {
  return Object.entries(counts).flatMap(([zone, count]) =>
    Array.from({ length: count }, (_, i) => ({ url: `http://${zone}-${i + 1}:80`, zone })),
  );
}

/** Routing over backends of which every one can be connected to, except those that are down. */
function setUp(options: Partial<LocalityOptions> = {}) {
  const world = { now: 0, monotonicMs: () => world.now, wallMs: () => 0, random: () => 0.5 };
  const down = new Set<string>();
  const connector = ((target: { host: string }, answer: Parameters<Connector>[1]) => {
    if (down.has(target.host)) answer(new Error('refused'), null);
    else answer(null, new FakeSocket() as unknown as Socket);
  }) as unknown as Connector;
  const service = {
    settings: checkClientOptions({ backends: [] }),
    environment: world,
    throttle: new AdaptiveThrottle(() => 0.5),
    budget: new RetryBudget(),
    monitor: undefined,
    observer: undefined,
    connector,
    ownConnector: connector,
    onNews: () => {},
    onUnreachable: () => {},
  } as unknown as Service;
  const subsetting = { options: undefined, seats: 'sorted', isAnonymous: false } as const;
  const routing = new LocalityRouting({ service, subsetting }, { own: 'here', ...options });
  const nameOf = (chosen: ServiceGroup | undefined) =>
    [...routing.named].find(([, group]) => group === chosen)?.[0];
  const choose = () => nameOf(routing.choose(world.now));
  const close = () => Promise.all(routing.groups.map((group) => group.destroy(new Error('over'))));
  return { world, down, routing, choose, close };
}

describe('LocalityRouting', () => {
  it('has a group for each zone, and one for backends of no zone', async () => {
    const { routing, close } = setUp();
    routing.update([...zoned({ here: 2, there: 1 }), { url: 'http://nowhere:80' }]);
    const sizes = [...routing.named].map(([zone, { listed }]) => [zone, listed.size]);
    expect(sizes).toEqual([
      ['here', 2],
      ['there', 1],
      ['unknown', 1],
    ]);
    await close();
  });

  it('chooses where the client is', async () => {
    const { routing, choose, close } = setUp();
    routing.update(zoned({ there: 3, here: 3 }));
    for (let i = 0; i < 20; i++) expect(choose()).toBe('here');
    await close();
  });

  it.each([
    ['here', []],
    ['near', ['here']],
    ['far', ['here', 'near']],
    ['unnamed', ['here', 'near', 'far']],
  ])('chooses %s when nobody answers in %j: who is not named is the farthest', async (zone, gone) => {
    const { routing, down, choose, close } = setUp({ distances: { near: 2, far: 5 } });
    for (const each of gone) for (const i of [1, 2, 3]) down.add(`${each}-${i}`);
    routing.update(zoned({ unnamed: 3, far: 3, near: 3, here: 3 }));
    for (let i = 0; i < 20; i++) expect(choose()).toBe(zone);
    await close();
  });

  it('sees at once that a backend is gone', async () => {
    const { routing, choose, close } = setUp();
    routing.update(zoned({ here: 1, there: 3 }));
    expect(choose()).toBe('here');
    const [link] = routing.named.get('here')!.links;
    link!.onTold('lame-duck');
    expect(choose()).toBe('there');
    await close();
  });

  it('keeps the group of a zone that has gone, and uses it when it comes back', async () => {
    const { routing, choose, close } = setUp();
    routing.update(zoned({ here: 2, there: 2 }));
    const here = routing.named.get('here');
    routing.update(zoned({ there: 2 }));
    expect(choose()).toBe('there');
    expect(here!.listed.size).toBe(0);
    routing.update(zoned({ here: 2, there: 2 }));
    expect(routing.named.get('here')).toBe(here);
    expect(choose()).toBe('here');
    await close();
  });

  it('sends on what is more than a zone can take, and says so when none can', async () => {
    const { world, routing, choose, close } = setUp({ capacityPerBackend: 10 });
    routing.update(zoned({ here: 1, there: 1 }));
    const counts: Record<string, number> = {};
    for (let i = 0; i < 30; i++) {
      const zone = choose() ?? 'none';
      counts[zone] = (counts[zone] ?? 0) + 1;
    }
    expect(counts).toEqual({ here: 10, there: 10, none: 10 });
    expect(routing.error(world.now)).toMatchObject({ code: 'PLIMSOLL_NO_CAPACITY' });
    await close();
  });

  it('chooses nobody where nobody is', () => {
    const { routing, choose } = setUp();
    expect(choose()).toBeUndefined();
    routing.update([]);
    expect(choose()).toBeUndefined();
    expect(routing.groups).toEqual([]);
  });

  it('refuses options that are none', () => {
    expect(() => setUp({ capacityShare: 2 })).toThrow(RangeError);
    expect(() => setUp({ nearest: true } as object)).toThrow('no option "nearest"');
  });
});
