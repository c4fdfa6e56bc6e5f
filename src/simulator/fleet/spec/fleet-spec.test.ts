import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Fleet } from '../fleet.js';
import { type FleetInput, fleetSchema } from './index.js';

/** As a file would have it: nothing is known of its types. */
// biome-ignore lint/suspicious/noExplicitAny: what is wrong in these fleets is what the types would refuse.
type Given = any;

const base: FleetInput = {
  durationMs: 1_000,
  services: {
    web: { backends: [{ count: 2 }, { count: 1, locality: 'far' }], kinds: { page: {}, upload: {} } },
    search: { backends: 4 },
  },
  clients: { users: { service: 'web', arrivals: 10 } },
};

/** What is wrong with a fleet, as `path: message`. */
function complaints(edit: (fleet: Given) => void): string[] {
  const fleet = structuredClone(base);
  edit(fleet);
  const { error } = fleetSchema.safeParse(fleet);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('names', () => {
  it('of services have to mean something, wherever they are', () => {
    expect(complaints((fleet) => (fleet.clients.users.service = 'wbe'))).toEqual([
      'clients.users.service: there is no service "wbe", only web, search',
    ]);
    expect(complaints((fleet) => (fleet.services.web.calls = [{ service: 'serach' }]))).toEqual([
      'services.web.calls.0.service: there is no service "serach", only web, search',
    ]);
    const kill = { kind: 'kill', backends: 1, atMs: 0, forMs: 1 };
    expect(complaints((fleet) => (fleet.faults = [{ ...kill, service: 'db' }]))).toEqual([
      'faults.0.service: there is no service "db", only web, search',
    ]);
    // Not a member of every object either.
    expect(complaints((fleet) => (fleet.faults = [{ ...kill, service: 'constructor' }]))).toEqual([
      'faults.0.service: there is no service "constructor", only web, search',
    ]);
  });

  it('of kinds too', () => {
    expect(complaints((fleet) => (fleet.clients.users.kinds = { page: 1, upload: 1 }))).toEqual([]);
    expect(complaints((fleet) => (fleet.clients.users.kinds = { page: 1, pgae: 1 }))).toEqual([
      'clients.users.kinds.pgae: service web has no kind "pgae"',
    ]);
    const calling = { service: 'search', kind: 'deep' };
    expect(complaints((fleet) => Object.assign(fleet.services.web, { calls: [calling] }))).toEqual([
      'services.web.calls.0.kind: service search has no kind "deep"',
    ]);
    // Of a service that there is not, one complaint is enough.
    expect(
      complaints((fleet) => Object.assign(fleet.clients.users, { service: 'x', kinds: { page: 1 } })),
    ).toEqual(['clients.users.service: there is no service "x", only web, search']);
  });

  it('that every object has are names like any other', () => {
    const fleet = structuredClone(base) as Given;
    fleet.services.web.kinds = { page: { costMs: 1 }, constructor: { costMs: 1 } };
    fleet.services.web.quota = { everyoneElse: 100 };
    Object.assign(fleet.clients.users, { kinds: { page: 1 }, customer: 'toString' });
    fleet.clients.constructor = { ...fleet.clients.users };
    const { traffic } = new Fleet(fleet, { seed: 1 }).run().group('constructor');
    expect(traffic.all.ends.served).toBe(traffic.all.offered);
  });

  it('of fields are refused when misspelt, at every depth', () => {
    expect(complaints((fleet) => (fleet.durationMS = 1))).toEqual([': Unrecognized key: "durationMS"']);
    expect(complaints((fleet) => (fleet.clients.users.arrivales = 1))).toEqual([
      'clients.users: Unrecognized key: "arrivales"',
    ]);
    expect(complaints((fleet) => (fleet.services.web.backends[1].sped = 2))).toEqual([
      'services.web.backends.1: Unrecognized key: "sped"',
    ]);
    expect(complaints((fleet) => (fleet.services.web.guard = { concurency: 2 }))).toEqual([
      'services.web.guard: Unrecognized key: "concurency"',
    ]);
    expect(complaints((fleet) => (fleet.clients.users.throttle = { kk: 2 }))).toEqual([
      'clients.users.throttle: Unrecognized key: "kk"',
    ]);
    expect(complaints((fleet) => (fleet.clients.users.criticality = { CRITICAL: 1, URGENT: 2 }))).toEqual([
      'clients.users.criticality: Unrecognized key: "URGENT"',
    ]);
  });
});

describe('calls', () => {
  it('come to an end: no service calls itself', () => {
    const message = (service: string) =>
      `services.${service}.calls: service ${service} calls itself, by way of others or not`;
    expect(complaints((fleet) => (fleet.services.web.calls = [{ service: 'web' }]))).toEqual([
      message('web'),
    ]);
    expect(
      complaints((fleet) => {
        fleet.services.web.calls = [{ service: 'search' }];
        fleet.services.search.calls = [{ service: 'web' }];
      }),
    ).toEqual([message('web'), message('search')]);
  });

  it('may meet again: two ways to one service are no circle', () => {
    expect(
      complaints((fleet) => {
        fleet.services.db = { backends: 1 };
        fleet.services.search.calls = [{ service: 'db' }];
        fleet.services.web.calls = [{ service: 'search' }, { service: 'search' }, { service: 'db' }];
      }),
    ).toEqual([]);
    // Who calls into a circle is not in it.
    expect(
      complaints((fleet) => {
        fleet.services.db = { backends: 1, calls: [{ service: 'search' }] };
        fleet.services.search.calls = [{ service: 'db' }];
        fleet.services.web.calls = [{ service: 'search' }];
      }).map((each) => each.split(':')[0]),
    ).toEqual(['services.search.calls', 'services.db.calls']);
  });

  it('know no localities: an option that would do nothing is refused', () => {
    const call = { service: 'search', localities: { capacityPerBackend: 10 } };
    expect(complaints((fleet) => (fleet.services.web.calls = [call]))).toEqual([
      'services.web.calls.0: Unrecognized key: "localities"',
    ]);
  });
});

describe('faults', () => {
  const kill = { kind: 'kill', service: 'web', atMs: 0, forMs: 1 };
  const complaintsOf = (fault: object) => complaints((fleet) => (fleet.faults = [{ ...kill, ...fault }]));

  it('meet backends that there are', () => {
    for (const backends of [3, [0, 1, 2], { locality: 'far' }, { locality: 'here' }]) {
      expect(complaintsOf({ backends })).toEqual([]);
    }
    expect(complaintsOf({ backends: [0, 3] })).toEqual([
      'faults.0.backends.1: service web has only backends 0 to 2',
    ]);
    expect(complaintsOf({ backends: 4 })).toEqual(['faults.0.backends: service web has only 3 backends']);
    expect(complaintsOf({ backends: { locality: 'moon' } })).toEqual([
      'faults.0.backends: service web has no backends in "moon"',
    ]);
    expect(complaintsOf({ service: 'search', backends: { locality: 'far' } })).toEqual([
      'faults.0.backends: service search has no backends in "far"',
    ]);
    expect(complaintsOf({ backends: [] })).toHaveLength(1);
    expect(complaintsOf({ backends: 0 })).toHaveLength(1);
  });

  it('begin at an instant, or between two that are in order', () => {
    expect(complaintsOf({ backends: 1, atMs: { from: 5, to: 5 } })).toEqual([]);
    expect(complaintsOf({ backends: 1, atMs: { from: 5, to: 2 } })).toEqual([
      'faults.0.atMs: to must be >= from',
    ]);
  });

  it('are of a known kind, with all that it needs', () => {
    expect(complaintsOf({ backends: 1, kind: 'kil' })[0]).toMatch(/^faults\.0\.kind: .*'kill' \| 'restart'/);
    expect(complaintsOf({ backends: 1, kind: 'slow' })).toEqual([
      'faults.0.factor: Invalid input: expected number, received undefined',
    ]);
    expect(complaintsOf({ backends: 1, kind: 'clock', rate: 3 })).toEqual([
      'faults.0.rate: Too big: expected number to be <=2',
    ]);
  });
});

describe('faults of a quota', () => {
  const gone = { kind: 'coordinator-gone', service: 'web', atMs: 0, forMs: 1 };
  const complaintsOf = (fault: object) =>
    complaints((fleet) => {
      fleet.services.web.quota = { everyoneElse: 1 };
      fleet.faults = [{ ...gone, ...fault }];
    });

  it('are of a service that has one', () => {
    expect(complaintsOf({})).toEqual([]);
    expect(complaintsOf({ kind: 'exchange-gone' })).toEqual([]);
    expect(complaintsOf({ service: 'search' })).toEqual(['faults.0.service: service search has no quota']);
    expect(complaintsOf({ service: 'db' })).toEqual([
      'faults.0.service: there is no service "db", only web, search',
    ]);
  });

  it('are not of backends', () => {
    expect(complaintsOf({ backends: 1 })).toEqual(['faults.0: Unrecognized key: "backends"']);
  });
});

describe('policies', () => {
  const complaintsOf = (policy: unknown) => complaints((fleet) => (fleet.clients.users.policy = policy));

  it('are names, or objects with options that the policy knows', () => {
    for (const policy of ['round-robin', { name: 'least-loaded' }, { name: 'prequal', poolSize: 8 }]) {
      expect(complaintsOf(policy)).toEqual([]);
    }
    expect(complaintsOf({ name: 'prequal', poolsize: 8 })[0]).toContain(
      'clients.users.policy: prequal has no option "poolsize"',
    );
    expect(complaintsOf({ name: 'prequal', poolSize: 1 })).toEqual([
      'clients.users.policy: poolSize must be an integer from 2 to 1024, got 1',
    ]);
    expect(complaintsOf({ name: 'round-robin', weight: 1 })).toEqual([
      'clients.users.policy: round-robin has no options, got "weight"',
    ]);
    const any = 'one of round-robin, least-loaded, weighted, prequal, or an object with such a name';
    expect(complaintsOf('roundrobin')[0]).toContain(`clients.users.policy: ${any}`);
    expect(complaintsOf({ name: 'p2c' })[0]).toContain(`clients.users.policy: ${any}`);
  });

  it('keep their options', () => {
    const { policy } = fleetSchema.parse({
      ...base,
      clients: { users: { service: 'web', arrivals: 1, policy: { name: 'prequal', poolSize: 8 } } },
    }).clients['users']!;
    expect(policy).toEqual({ name: 'prequal', poolSize: 8 });
  });
});

describe('numbers', () => {
  it('are bounded', () => {
    expect(complaints((fleet) => (fleet.durationMs = 0))).toEqual([
      'durationMs: Too small: expected number to be >0',
    ]);
    expect(complaints((fleet) => (fleet.network = { lossShare: 1.5 }))).toEqual([
      'network.lossShare: Too big: expected number to be <=1',
    ]);
    expect(complaints((fleet) => (fleet.clients.users.count = 1e9))).toEqual([
      'clients.users.count: Too big: expected number to be <=100000',
    ]);
    expect(complaints((fleet) => (fleet.clients.users.throttle = { k: 1 }))).toEqual([
      'clients.users.throttle.k: Too small: expected number to be >1',
    ]);
    expect(complaints((fleet) => (fleet.services.search.backends = 0))).toHaveLength(1);
  });

  it('that weigh something have to weigh anything at all', () => {
    for (const criticality of [{}, { CRITICAL: 0 }]) {
      expect(complaints((fleet) => (fleet.clients.users.criticality = criticality))).toEqual([
        'clients.users.criticality: at least one weight must be > 0',
      ]);
    }
    for (const kinds of [{}, { page: 0 }]) {
      expect(complaints((fleet) => (fleet.clients.users.kinds = kinds))).toEqual([
        'clients.users.kinds: at least one weight must be > 0',
      ]);
    }
    expect(complaints((fleet) => (fleet.services.web.kinds = {}))).toEqual([
      'services.web.kinds: a service has at least one kind of requests',
    ]);
  });

  it('of demand have a mean to be relative to', () => {
    for (const demand of [0, { exponential: { mean: 0 } }, { uniform: { from: 0, to: 0 } }]) {
      expect(complaints((fleet) => (fleet.clients.users.demand = demand))).toEqual([
        'clients.users.demand: the mean must be > 0',
      ]);
    }
    expect(complaints((fleet) => (fleet.clients.users.demand = { uniform: { from: 0, to: 2 } }))).toEqual([]);
  });
});

describe('defaults', () => {
  it('are filled in', () => {
    const spec = fleetSchema.parse(base);
    const link = {
      policy: 'prequal',
      throttle: { k: 2, windowMs: 120_000, recovery: 'window' },
      retry: { maxAttempts: 3, budget: 0.1 },
      activeLimit: 100,
      ejects: true,
    };
    expect(spec).toMatchObject({
      warmupMs: 5_000,
      recoverWithinMs: 30_000,
      network: { delayMs: 0.25, betweenLocalitiesMs: 0, lossShare: 0 },
      faults: [],
    });
    expect(spec.clients['users']).toMatchObject({
      service: 'web',
      arrivals: 10,
      count: 1,
      demand: 1,
      criticality: 'CRITICAL',
      customer: 'anyone',
      deadlineMs: 1_000,
      idempotentShare: 1,
      locality: 'here',
      ...link,
    });
    expect(spec.services['search']).toMatchObject({
      backends: 4,
      costMs: 10,
      waitMs: 0,
      failureShare: 0,
      calls: [],
      guard: { concurrency: 'adaptive', signals: ['queue'], queueTargetMs: 20, refusalCostMs: 0.02 },
      startMs: 1_000,
      spreadMs: 3_000,
      drainMs: 30_000,
    });
    expect(spec.services['web']!.backends).toMatchObject([
      { count: 2, speed: 1, cores: 1, locality: 'here', failsFastShare: 0 },
      { count: 1, locality: 'far' },
    ]);
  });

  it('of a part are there when the part is given in part', () => {
    const fleet = structuredClone(base) as Given;
    fleet.services.web.calls = [{ service: 'search', retry: { budget: 0.2 } }];
    fleet.services.web.quota = { everyoneElse: 1 };
    fleet.faults = [{ kind: 'restart', service: 'web', backends: 1, atMs: 0 }];
    const { services, faults } = fleetSchema.parse(fleet);
    expect(services['web']!.calls[0]).toMatchObject({ times: 1, retry: { maxAttempts: 3, budget: 0.2 } });
    expect(services['web']!.quota).toEqual({
      customers: {},
      everyoneElse: 1,
      enforce: 'always',
      everyMs: 250,
    });
    expect(faults[0]).toMatchObject({ batch: 1 });
  });
});

it('the example is a fleet', () => {
  const text = readFileSync(new URL('../../../../examples/fleet.yaml', import.meta.url), 'utf8');
  const { services, clients, faults } = fleetSchema.parse(parse(text) as FleetInput);
  expect(Object.keys(services)).toEqual(['web', 'search']);
  expect(Object.keys(clients)).toEqual(['browsers', 'crawlers']);
  expect(faults.map(({ kind }) => kind)).toEqual(['restart', 'kill', 'slow']);
});
