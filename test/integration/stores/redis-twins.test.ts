import '../../properties.js';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evenly } from '../../../src/core/evenly.contract.js';
import {
  ALGORITHM_NAMES,
  createInPlaceAlgorithm,
  type InPlaceAlgorithm,
  LeakingQueue,
  peekAt,
  type RateLimitOptions,
  settleAt,
} from '../../../src/core/index.js';
import { createRateRule } from '../../../src/stores/rate-store.js';
import { createLink, type RedisLink } from '../../../src/stores/redis/redis-link.js';
import { RedisStore } from '../../../src/stores/redis/redis-store.js';
import { RedisServer } from '../../redis/redis-server.js';
import { sharedLink } from './shared-link.js';

/**
 * The scripts and the algorithms of core, side by side on the same requests: each number of each decision is the same, with
 * rates so large that a rounded number would show, and a clock that also goes back.
 */
const START = 1_700_000_000_000;
const TESTED = [
  ...ALGORITHM_NAMES.map((algorithm) => ({ algorithm })),
  { algorithm: 'sliding-log' as const, countRefused: true },
];
type Tested = (typeof TESTED)[number];

let server: RedisServer;
let link: RedisLink;

beforeAll(async () => {
  server = await RedisServer.start();
  link = await createLink({ url: server.url, connectMs: 20_000 });
});

afterAll(async () => {
  await link.close();
  await server.stop();
});

function rates(tested: Tested): fc.Arbitrary<RateLimitOptions & { burst: number }> {
  const rate = (most: number, windows: fc.Arbitrary<number>) =>
    fc.record({
      limit: fc.integer({ min: 1, max: most }),
      windowMs: windows,
      burst: fc.integer({ min: 1, max: most }),
    });
  const small = rate(12, fc.constantFrom(1, 2, 7, 60, 997, 1_000));
  const large = rate(2_000_000, fc.integer({ min: 1, max: 1_000_000_000 }));
  const hasBurst = tested.algorithm === 'gcra' || tested.algorithm.endsWith('-bucket');
  return fc
    .oneof({ weight: 3, arbitrary: small }, { weight: 1, arbitrary: large })
    .map((each) => ({ ...each, ...tested, burst: hasBurst ? each.burst : each.limit }));
}

const share = fc.oneof(fc.constant('one' as const), evenly(0, 1.1), fc.constant(0));
const step = fc.record({
  kind: fc.constantFrom('take', 'take', 'peek', 'refund', 'charge', 'undo'),
  gap: fc.oneof(fc.constant(0), fc.constant('1ms' as const), evenly(0, 0.3), evenly(-2, 2)),
  // Those of one turn travel in one batch and see each other.
  shares: fc.array(share, { minLength: 1, maxLength: 4 }),
  lateness: fc.oneof(fc.constant(0), evenly(0, 0.2), evenly(0, 1.5)),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Two rules that a Cluster may have in different slots: the second one always refuses, so the first is undone. */
class Twins {
  readonly #algorithm: InPlaceAlgorithm;
  readonly #state: number[];
  readonly #store: RedisStore;
  readonly #rule;
  readonly #never = createRateRule('never', { algorithm: 'gcra', limit: 1, windowMs: 1_000 });
  readonly #times: number[] = [];
  now = START;

  constructor(options: RateLimitOptions) {
    this.#algorithm = createInPlaceAlgorithm(options);
    this.#state = new Array<number>(this.#algorithm.width).fill(0);
    this.#rule = createRateRule('twin', options);
    const asCluster = sharedLink(link, { isCluster: true });
    const nowMs = () => this.#times.shift() ?? this.now;
    this.#store = new RedisStore({ link: asCluster, prefix: `${randomUUID()}:`, nowMs });
  }

  async take(costs: readonly number[]): Promise<void> {
    const expected = costs.map((cost) => this.#algorithm.takeAt(this.#state, 0, this.now, cost));
    const answers = await Promise.all(
      costs.map((cost) => this.#store.take([{ rule: this.#rule, key: 'a', cost }])),
    );
    expect(answers.map(({ decisions }) => decisions[0])).toEqual(expected);
  }

  async peek(costs: readonly number[]): Promise<void> {
    const expected = costs.map((cost) => peekAt(this.#algorithm, this.#state, 0, this.now, cost));
    const requests = costs.map((cost) => ({ rule: this.#rule, key: 'a', cost }));
    expect(await this.#store.peek(requests)).toEqual(expected);
  }

  async settle(cost: number, actual: number, takenAtMs: number): Promise<void> {
    settleAt(this.#algorithm, this.#state, 0, this.now, cost, actual, takenAtMs);
    await this.#store.settle([{ rule: this.#rule, key: 'a', reserved: cost, actual, takenAtMs }]);
    await this.peek([1]);
  }

  /** Taken with a request that is refused elsewhere, and given back later. */
  async undo(cost: number, lateMs: number): Promise<void> {
    const takenAtMs = this.now;
    const { allowed } = this.#algorithm.takeAt(this.#state, 0, takenAtMs, cost);
    this.now += lateMs;
    if (allowed && cost > 0) this.#algorithm.undoAt(this.#state, 0, this.now, cost, takenAtMs);
    this.#times.push(takenAtMs, takenAtMs);
    const answer = await this.#store.take([
      { rule: this.#rule, key: 'a', cost },
      { rule: this.#never, key: 'b', cost: 2 },
    ]);
    expect(answer.allowed).toBe(false);
    const expected = peekAt(this.#algorithm, this.#state, 0, this.now, 0);
    if (allowed && cost > 0) expect(answer.decisions[0]).toEqual(expected);
    await this.peek([0, 1]);
  }
}

async function run(options: RateLimitOptions & { burst: number }, steps: readonly Step[]): Promise<void> {
  const twins = new Twins(options);
  for (const { kind, gap, shares, lateness } of steps) {
    twins.now += gap === '1ms' ? 1 : Math.floor(gap * options.windowMs);
    const costs = shares.map((each) => (each === 'one' ? 1 : Math.ceil(each * options.burst)));
    const cost = costs[0]!;
    const lateMs = Math.floor(lateness * options.windowMs);
    if (kind === 'take') await twins.take(costs);
    if (kind === 'peek') await twins.peek(costs);
    if (kind === 'refund') await twins.settle(cost, shares.length > 1 ? 0 : cost >> 1, twins.now - lateMs);
    if (kind === 'charge') await twins.settle(cost, cost + (lateMs % 7) * cost + 1, twins.now);
    if (kind === 'undo') await twins.undo(cost, lateMs);
  }
}

describe('scripts are twins of the algorithms', () => {
  it.each(TESTED)('decide alike: %j', async (tested) => {
    const steps = fc.array(step, { maxLength: 25 });
    await fc.assert(fc.asyncProperty(rates(tested), steps, run), { numRuns: 120 });
  });

  it.each(TESTED)('have debts of the same size: %j', async (tested) => {
    const twins = new Twins({ ...tested, limit: 10, windowMs: 60_000 });
    await twins.take([10]);
    await twins.settle(0, 1_000, twins.now);
    for (let i = 0; i < 5; i++) await twins.settle(5, 0, twins.now);
    await twins.settle(1, Number.MAX_SAFE_INTEGER, twins.now);
    twins.now -= 1_000_000_000;
    await twins.settle(0, 3, twins.now);
    await twins.settle(Number.MAX_SAFE_INTEGER, 0, twins.now);
    await twins.peek([0, 1, 10]);
  });

  it('gives places in queues alike', async () => {
    const options = rates({ algorithm: 'leaking-bucket' });
    await fc.assert(
      fc.asyncProperty(options, fc.array(step, { maxLength: 30 }), async (rate, steps) => {
        const queue = new LeakingQueue(rate);
        const state = [0, 0];
        let now = START;
        const store = new RedisStore({
          link: sharedLink(link),
          prefix: `${randomUUID()}:`,
          nowMs: () => now,
        });
        const rule = createRateRule('queue', rate);
        for (const { gap, shares } of steps) {
          now += gap === '1ms' ? 1 : Math.floor(gap * rate.windowMs);
          for (const each of shares) {
            const cost = each === 'one' ? 1 : Math.ceil(each * rate.burst);
            const expected = { ...queue.scheduleAt(state, 0, now, cost), nowMs: now };
            expect(await store.schedule({ rule, key: 'a', cost })).toEqual(expected);
          }
        }
      }),
      { numRuns: 120 },
    );
  });

  it('keeps a log exact when its numbers would grow beyond what is exact', async () => {
    const limit = 2 ** 51;
    for (const countRefused of [false, true]) {
      const twins = new Twins({ algorithm: 'sliding-log', limit, windowMs: 1_000, countRefused });
      for (let i = 0; i < 30; i++) {
        const costs: number[] = [limit / 2, 1, limit - 7, 3, limit];
        await twins.take(costs);
        twins.now += 400;
        await twins.settle(1, limit, twins.now - 400);
        await twins.peek([1, limit]);
      }
    }
  });

  it('keeps a long log, and finds its way in it', async () => {
    const limit = 3_000;
    const twins = new Twins({ algorithm: 'sliding-log', limit, windowMs: 10_000 });
    for (let i = 0; i < 1_500; i++) {
      await twins.take([2]);
      twins.now += 1;
    }
    await twins.peek([1, 2, 3, 500, 2_999, 3_000]);
    for (const back of [1_400, 700, 3]) await twins.settle(2, 0, twins.now - back);
    await twins.settle(2, 0, twins.now - 1_500);
    await twins.peek([1, 7, 8, 9, 500, 2_999, 3_000]);
    await twins.settle(0, 2_000, twins.now);
    await twins.peek([1, 1_000, 1_001, 3_000]);
  });
});
