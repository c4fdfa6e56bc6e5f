import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALGORITHM_NAMES, type AlgorithmName } from '../../../src/core/index.js';
import { describeRateStore } from '../../../src/stores/rate-store.contract.js';
import { createRateRule, type RateRequest, type RateRule } from '../../../src/stores/rate-store.js';
import { createLink, type RedisLink } from '../../../src/stores/redis/redis-link.js';
import { RedisStore } from '../../../src/stores/redis/redis-store.js';
import { slotOf } from '../../../src/stores/redis/slots.js';
import { RedisCluster } from '../../redis/redis-cluster.js';
import { sharedLink } from './shared-link.js';

/** Nothing to speak of comes back while a test runs, and no window ends but at midnight. */
const DAY = 86_400_000;

let cluster: RedisCluster;
let link: RedisLink;

beforeAll(async () => {
  cluster = await RedisCluster.start(3);
  link = await createLink({ url: cluster.urls, connectMs: 20_000 });
});

afterAll(async () => {
  await link?.close();
  await cluster?.stop();
});

function store(nowMs?: () => number, prefix = `${randomUUID()}:`): RedisStore {
  return new RedisStore({ link: sharedLink(link), prefix, nowMs });
}

describeRateStore('the Redis store on a Cluster', async (clock) => store(() => clock.wallMs()), {
  numRuns: 15,
});

/** What passed, by rule and key: who was refused or failed has taken nothing that counts here. */
class Passed {
  readonly #sums = new Map<string, number>();
  asked = 0;
  failed = 0;

  async take(tested: RedisStore, requests: readonly RateRequest[]): Promise<boolean> {
    this.asked++;
    try {
      const { allowed } = await tested.take(requests);
      for (const { rule, key, cost } of allowed ? requests : []) {
        this.#sums.set(`${rule.name} ${key}`, this.of(rule, key) + cost);
      }
      return allowed;
    } catch {
      this.failed++;
      return false;
    }
  }

  of({ name }: RateRule, key: string): number {
    return this.#sums.get(`${name} ${key}`) ?? 0;
  }
}

function daily(algorithm: AlgorithmName, limit: number, name: string = algorithm): RateRule {
  return createRateRule(name, { algorithm, limit, windowMs: DAY });
}

describe('requests whose rules are in several slots', () => {
  it('has keys in slots of all nodes', () => {
    const nodes = new Set(['a', 'b', 'c', 'd', 'e'].map((key) => Math.floor((3 * slotOf(key)) / 16_384)));
    expect(nodes.size).toBe(3);
  });

  it.each(ALGORITHM_NAMES)('takes from all or from none: %s', async (algorithm) => {
    const tested = store();
    const rules = [daily(algorithm, 3), daily('gcra', 5, 'other')] as const;
    const both = (cost: number) => [
      { rule: rules[0], key: 'a', cost },
      { rule: rules[1], key: 'b', cost: 1 },
    ];
    expect(await tested.take(both(2))).toMatchObject({
      allowed: true,
      decisions: [{ remaining: 1 }, { remaining: 4 }],
    });
    expect(await tested.take(both(2))).toMatchObject({
      allowed: false,
      decisions: [
        { allowed: false, remaining: 1 },
        { allowed: true, remaining: 4 },
      ],
    });
    expect(await tested.peek(both(0))).toMatchObject([{ remaining: 1 }, { remaining: 3 }]);
    const { takenAtMs } = await tested.take([both(1)[0]!]);
    await tested.settle([{ rule: rules[0], key: 'a', reserved: 1, actual: 0, takenAtMs }]);
    expect(await tested.peek([both(1)[0]!])).toMatchObject([{ allowed: true }]);
    await tested.reset(rules[0], 'a');
    expect(await tested.peek(both(3))).toMatchObject([{ allowed: true }, { allowed: true }]);
  });

  it('never lets through more than any limit, however they are mixed', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const limit = 7;
    const request = fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), fc.integer({ min: 0, max: 3 })), {
      minLength: 1,
      maxLength: 4,
      selector: ([key]) => key,
    });
    const property = fc.asyncProperty(
      fc.constantFrom(...ALGORITHM_NAMES),
      fc.array(request, { minLength: 5, maxLength: 60 }),
      async (algorithm, requests) => {
        const tested = store();
        const rule = daily(algorithm, limit);
        const passed = new Passed();
        const asked = requests.map((each) => each.map(([key, cost]) => ({ rule, key, cost })));
        await Promise.all(asked.map((each) => passed.take(tested, each)));
        for (const key of keys) expect(passed.of(rule, key)).toBeLessThanOrEqual(limit);
        expect(passed.failed).toBe(0);
        // What did not pass has been given back: all of it is there, a bucket's within the time that this took.
        for (const key of keys) {
          const rest = [{ rule, key, cost: limit - passed.of(rule, key) }];
          await expect.poll(() => passed.take(tested, rest), { timeout: 10_000 }).toBe(true);
        }
      },
    );
    await fc.assert(property, { numRuns: 40, seed: 1 });
  });
});

/** What nodes think who has which slots: one view when they agree. Before that nothing may be moved on. */
async function views(): Promise<string[]> {
  const seen = await Promise.all(
    cluster.servers.map(async ({ port }) => {
      const admin = new Redis(port, '127.0.0.1');
      const lines = String(await admin.cluster('NODES'))
        .trim()
        .split('\n');
      admin.disconnect();
      // Its id, its epoch, and from the ninth on its slots; in brackets those that only this node moves.
      const nodes = lines.map((line) => {
        const words = line.split(' ').filter((word) => !word.startsWith('['));
        return [words[0], words[6], ...words.slice(8)].join(' ');
      });
      return nodes.sort().join('\n');
    }),
  );
  return [...new Set(seen)];
}

describe('slots that move', () => {
  it('never lets through more than the limit meanwhile, and seldom fails', { timeout: 40_000 }, async () => {
    const tested = store();
    const rule = daily('gcra', 60);
    const log = daily('sliding-log', 25);
    const keys = Array.from({ length: 8 }, (_, i) => `key-${i}`);
    const passed = new Passed();
    let isMoving = true;
    const ask = async (begin: number): Promise<void> => {
      for (let i = begin; isMoving; i += 7) {
        const [one, other] = [keys[i % keys.length]!, keys[(i * 3 + 1) % keys.length]!];
        const requests = [
          { rule, key: one, cost: 1 },
          { rule: log, key: one, cost: 1 },
        ];
        await passed.take(tested, other === one ? requests : [...requests, { rule, key: other, cost: 1 }]);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    const asking = Promise.all(Array.from({ length: 8 }, (_, i) => ask(i)));
    // From the first node to the second, from that one to the third, and back to the first: all pass each node.
    const slots = keys.map((key) => slotOf(`{${key}}`));
    const owners = slots.map((slot) => Math.floor(slot / Math.ceil(16_384 / 3)));
    // About 200 pass: so long that far more came.
    for (let from = 0; from < 5 || passed.asked < 1_000; from++) {
      const moved = slots.filter((_, i) => owners[i] === from % 3);
      await cluster.moveSlots(from % 3, (from + 1) % 3, moved);
      for (const [i, owner] of owners.entries()) if (owner === from % 3) owners[i] = (from + 1) % 3;
      await expect.poll(views, { timeout: 20_000, interval: 20 }).toHaveLength(1);
    }
    isMoving = false;
    await asking;
    for (const key of keys) expect(passed.of(rule, key)).toBeLessThanOrEqual(60);
    for (const key of keys) expect(passed.of(log, key)).toBeLessThanOrEqual(25);
    // Those whose keys are half here, half there wait a little and fail: a rule says what that means.
    expect(passed.failed).toBeLessThan(passed.asked / 4);
    // What is there again decides as before.
    for (const key of keys)
      expect(await tested.peek([{ rule, key, cost: 0 }])).toMatchObject([{ allowed: true }]);
  });

  it('fails in time while the keys of a request are in two places, and decides as before afterwards', async () => {
    const prefix = `${randomUUID()}:`;
    const tested = store(undefined, prefix);
    const both = ['one', 'other'].map((name) => ({ rule: daily('gcra', 5, name), key: 'half', cost: 2 }));
    const slot = slotOf('half');
    await tested.take(both);
    const admins = cluster.servers.map(({ port }) => new Redis(port, '127.0.0.1'));
    const found = await Promise.all(admins.map((admin) => admin.keys(`${prefix}*`)));
    const from = found.findIndex((keys) => keys.length === 2);
    const to = (from + 1) % 3;
    const [fromId, toId] = [
      String(await admins[from]!.cluster('MYID')),
      String(await admins[to]!.cluster('MYID')),
    ];
    await admins[to]!.cluster('SETSLOT', slot, 'IMPORTING', fromId);
    await admins[from]!.cluster('SETSLOT', slot, 'MIGRATING', toId);
    await admins[from]!.call(
      'MIGRATE',
      '127.0.0.1',
      cluster.servers[to]!.port,
      '',
      0,
      5_000,
      'KEYS',
      found[from]![0]!,
    );
    await expect(tested.take(both)).rejects.toThrow(/redirections|TRYAGAIN/);
    // Of one key there is no question where it is.
    for (const each of both)
      expect((await tested.take([{ ...each, cost: 1 }])).decisions[0]!.remaining).toBe(2);
    await cluster.moveSlots(from, to, [slot]);
    expect(await tested.take(both)).toMatchObject({
      allowed: true,
      decisions: [{ remaining: 0 }, { remaining: 0 }],
    });
    for (const admin of admins) admin.disconnect();
  });
});
