import { describe, expect, it } from 'vitest';
import { type Fleet, type FleetInput, fleetSchema } from '../fleet/index.js';
import { drawFleet } from './draw-fleet.js';
import { checkFleet, describeOutcome, fuzzFleet } from './fuzz.js';
import { recoveryMs } from './recovery.js';

const SEEDS = 300;
/** Of which it is claimed that no request breaks. */
const ORDERLY_SEEDS = [17, 49, 113, 139, 358, 363, 388, 396];
const FIRST_SEEDS = Array.from({ length: 40 }, (_, seed) => seed);

describe('random fleets', () => {
  it('lose nothing, leak nothing, starve nobody and recover', () => {
    let calm = 0;
    let requests = 0;
    const failed: string[] = [];
    for (let seed = 0; seed < SEEDS; seed++) {
      const outcome = fuzzFleet(seed);
      if (outcome.isCalm) calm++;
      requests += outcome.requests;
      if (outcome.violations.length > 0) failed.push(describeOutcome(outcome));
    }
    expect(failed).toEqual([]);
    // What is checked only of fleets with room is checked often.
    expect(calm).toBeGreaterThan(SEEDS / 5);
    expect(requests).toBeGreaterThan(SEEDS * 1_000);
  }, 240_000);

  it('are the same for the same seed', () => {
    expect(drawFleet(7)).toEqual(drawFleet(7));
    expect(drawFleet(7)).not.toEqual(drawFleet(8));
    const { events, requests, violations } = fuzzFleet(7);
    expect(fuzzFleet(7)).toMatchObject({ events, requests, violations });
  });

  it('draw everything there is to draw', () => {
    const drawn = Array.from({ length: SEEDS }, (_, seed) => JSON.stringify(drawFleet(seed).input)).join();
    const words = [
      ...['kill', 'restart', 'slow', 'partition', 'lame-duck', 'clock'],
      ...['coordinator-gone', 'exchange-gone'],
      ...['round-robin', 'least-loaded', 'weighted', 'prequal'],
      ...['random', 'deterministic', 'rocksteadier', 'window', 'streak', 'adaptive', 'queue', 'cpu'],
      ...['quota', 'localities', 'warmup', 'pauses', 'neighbours', 'failsFastShare', 'degradedCost', 'kinds'],
      ...['exponential', 'uniform', 'lognormal', 'pareto', 'poisson', 'even'],
    ];
    for (const word of words) expect(drawn).toContain(`"${word}"`);
    expect(drawn).toMatch(/"guard":false/);
    expect(drawn).toMatch(/"throttle":false/);
  });
});

describe('a fleet that is given', () => {
  const input: FleetInput = {
    durationMs: 6_000,
    warmupMs: 1_000,
    services: {
      front: {
        backends: [
          { count: 2, locality: 'near' },
          { count: 2, locality: 'far' },
        ],
        costMs: 5,
      },
    },
    clients: {
      plain: { service: 'front', arrivals: 50, throttle: false, policy: { name: 'prequal', poolSize: 4 } },
      nearby: {
        service: 'front',
        arrivals: 20,
        throttle: false,
        demand: { uniform: { from: 0.5, to: 1.5 } },
        locality: 'near',
        localities: { capacityPerBackend: 100 },
      },
    },
  };
  const drawn = { input, quietMs: 1_000, finalMs: 1_000, isFlooded: false };

  it('is checked like one that is drawn', () => {
    expect(checkFleet(drawn, 1)).toMatchObject({ isCalm: true, violations: [] });
  });

  it('has as long to recover as its parts need', () => {
    // An ejection, the start of a process, two looks at one that was cut off, the deadline, and what is learned anew.
    expect(recoveryMs(fleetSchema.parse(input))).toBe(30_000 + 1_000 + 2_000 + 1_000 + 4_000);
    const restart = { kind: 'restart', service: 'front', backends: 4, atMs: 2_000 } as const;
    const restarted = fleetSchema.parse({ ...input, faults: [restart] });
    // Each of the four: the news spreads, what is under way ends, the next one starts.
    expect(recoveryMs(restarted)).toBe(38_000 + 4 * (3_000 + 250 + 1_000 + 50));
  });
});

describe('what is broken on purpose is found', () => {
  /** One of some seeds shows it. */
  function expectFound(shown: RegExp, onFleet: (fleet: Fleet) => void, seeds = FIRST_SEEDS): void {
    const isShown = seeds.some((seed) => {
      const outcome = fuzzFleet(seed, { onFleet, mostEvents: 1_000_000 });
      return shown.test(describeOutcome(outcome));
    });
    expect(isShown).toBe(true);
  }
  const linksOf = ({ clients }: Fleet) => clients.flatMap(({ door }) => door.links);
  const backendsOf = ({ services }: Fleet) => services.flatMap(({ backends }) => backends);

  it('a request that ends twice', () => {
    expectFound(/no request lost or answered twice: .* -\d+ requests pending/, ({ clients }) => {
      for (const client of clients) {
        const onEnd = client.onEnd.bind(client);
        client.onEnd = (request, end, now) => {
          onEnd(request, end, now);
          if (end === 'broken') onEnd(request, end, now);
        };
      }
    });
  });

  it('a request that is lost', () => {
    expectFound(/no request lost or answered twice: .* [1-9]\d* requests pending/, ({ clients }) => {
      for (const client of clients) {
        const onEnd = client.onEnd.bind(client);
        client.onEnd = (request, end, now) => {
          if (end !== 'failed') onEnd(request, end, now);
        };
      }
    });
  });

  it('a request that is not counted, or held for ever', () => {
    expectFound(/no request lost or answered twice: .* made \d+ requests, 0 have ended/, ({ groups }) => {
      for (const { traffic } of groups) traffic.onEnd = () => {};
    });
    expectFound(/permits neither lost nor made up: .* still has/, (fleet) => {
      for (const { process } of backendsOf(fleet))
        Object.defineProperty(process, 'activeCount', { value: 1_000 });
    });
  });

  it('an active request that is not given back', () => {
    expectFound(/permits neither lost nor made up: .* 1 requests are still active/, (fleet) => {
      const [link] = linksOf(fleet);
      const release = link!.roster.release.bind(link!.roster);
      let released = 0;
      link!.roster.release = (backend) => {
        if (++released !== 100) release(backend);
      };
    });
  });

  it('one given back twice', () => {
    expectFound(/active requests within their limit: -\d+ requests are active/, (fleet) => {
      for (const { roster } of linksOf(fleet)) {
        const release = roster.release.bind(roster);
        roster.release = (backend) => {
          release(backend);
          release(backend);
        };
      }
    });
  });

  it('a retry beyond the budget', () => {
    expectFound(/retries within their budget: \d+ retries of \d+ requests/, (fleet) => {
      for (const { budget } of linksOf(fleet)) budget.tryWithdraw = () => true;
    });
  });

  it('an attempt too many', () => {
    expectFound(/attempts within their bound: attempt (\d) of at most (?!\1)\d came/, (fleet) => {
      for (const { caller } of linksOf(fleet)) Object.assign(caller, { maxAttempts: caller.maxAttempts + 1 });
    });
  });

  it('a permit of a guard that is lost', () => {
    expectFound(/permits neither lost nor made up: .* let in, \d+ running/, (fleet) => {
      for (const { process } of backendsOf(fleet)) {
        const { limiter } = process.guard;
        const release = limiter.release.bind(limiter);
        limiter.release = (startedMs, now) => {
          if (startedMs % 7 < 6) release(startedMs, now);
        };
      }
    });
  });

  it('a backend that nobody is told of', () => {
    expectFound(/everything recovers: .* is ready, and to a client/, (fleet) => {
      for (const link of linksOf(fleet)) {
        const mark = link.roster.mark.bind(link.roster);
        link.roster.mark = (key, connection, now) => connection !== 'ready' && mark(key, connection, now);
      }
    });
  });

  it('a waiting call that nobody is told of', () => {
    expectFound(/no request lost or answered twice: .* [1-9]\d* requests pending/, (fleet) => {
      for (const { caller } of linksOf(fleet)) {
        const expire = caller.expire.bind(caller);
        caller.expire = (now) => {
          expire(now);
          return undefined;
        };
      }
    });
  });

  it('one that is let through and never settled', () => {
    expectFound(/permits neither lost nor made up: a throttle let \d+ through/, (fleet) => {
      for (const { caller } of linksOf(fleet)) {
        const { throttle } = caller.parts;
        const start = caller.start.bind(caller);
        caller.start = (request, now) => {
          throttle.admit(throttle.statsOf('another', 'one', 'CRITICAL'), now);
          return start(request, now);
        };
      }
    });
  });

  it('a request that is done twice and must not be', () => {
    expectFound(/nothing done twice that must not be: .* had begun with it/, (fleet) => {
      for (const { caller } of linksOf(fleet)) {
        const start = caller.start.bind(caller);
        caller.start = (request, now) =>
          start(Object.create(request, { isIdempotent: { value: true } }), now);
      }
    });
  });

  it('what is begun, or answered, too late', () => {
    expectFound(/no decision on expired data: .* what nobody waited for/, (fleet) => {
      for (const { process } of backendsOf(fleet)) {
        const { gate } = process.guard;
        const take = gate.take.bind(gate);
        gate.take = (now) => {
          const ticket = take(now);
          if (ticket !== undefined) ticket.startedMs = ticket.deadlineMs;
          return ticket;
        };
      }
    });
    expectFound(/no decision on expired data: .* ms after its deadline/, (fleet) => {
      for (const link of linksOf(fleet)) link.onDeadline = () => {};
    });
  });

  it('a process that never is ready again', () => {
    expectFound(/everything recovers: .* and to clients (connecting|lame-duck)/, (fleet) => {
      for (const backend of backendsOf(fleet)) backend.becomeReady = () => {};
    });
  });

  it('requests that are not served though there is room, or slowly', () => {
    expectFound(/everything recovers: .* were not served/, (fleet) => {
      for (const { caller } of linksOf(fleet)) caller.parts.throttle.admit = () => false;
    });
    expectFound(/everything recovers: .* take longer than/, ({ network }) => {
      network.delayMs = () => 100;
    });
  });

  it('a backend that starves', () => {
    expectFound(/no usable backend starves: .* got none of about/, (fleet) => {
      const [first] = backendsOf(fleet);
      first!.receive = (attempt) => first!.send(attempt, 'answered', undefined);
    });
  });

  it('a restart of which nobody is told, and that waits for nothing', () => {
    expectFound(
      /no request fails in a restart: .* were broken off/,
      (fleet) => {
        for (const backend of backendsOf(fleet)) {
          backend.becomeLameDuck = () => {};
          Object.defineProperty(backend.process, 'activeCount', { value: 0 });
        }
      },
      ORDERLY_SEEDS,
    );
  });

  it('a flood that nothing comes through', () => {
    expectFound(/a flood is survived: .* requests were served in the last/, (fleet) => {
      for (const { machine } of backendsOf(fleet)) machine.slowDown(20);
    });
  });

  it('what throws, and what never ends', () => {
    expectFound(/nothing throws: .*the door is jammed/, ({ clients }) => {
      clients[0]!.door.start = () => {
        throw new Error('the door is jammed');
      };
    });
    expectFound(/nothing throws: .*no end in sight/, ({ kernel, clients }) => {
      clients[0]!.happen = (now) => kernel.at(now, clients[0]!);
    });
  });

  it('and told with what to run again', () => {
    const violations = [{ invariant: 'all is well', details: 'it is not' }];
    expect(describeOutcome({ ...fuzzFleet(3), violations })).toBe(
      'seed 3 fails:\n  all is well: it is not\nagain: npm run fuzz:simulator -- --seed 3',
    );
  });
});
