import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenly } from '../core/evenly.contract.js';
import {
  ALGORITHM_NAMES,
  createAlgorithm,
  type RateAlgorithm,
  type RateDecision,
  type RateLimitOptions,
  type RateState,
} from '../core/index.js';
import { VirtualClock } from '../testing/index.js';
import { createRateRule, type RateRule, type RateStore } from './rate-store.js';

/** A store whose clock is this one. */
export type MakeStore = (clock: VirtualClock) => Promise<RateStore>;

type Tested = Pick<RateLimitOptions, 'algorithm' | 'countRefused'>;

const TESTED: readonly Tested[] = [
  ...ALGORITHM_NAMES.map((algorithm) => ({ algorithm })),
  { algorithm: 'sliding-log', countRefused: true },
];

const KEYS = ['a', 'b', 'key with spaces and ü'];

const operation = fc.record({
  kind: fc.constantFrom('take', 'take', 'take', 'take', 'peek', 'settle', 'reset'),
  key: fc.constantFrom(...KEYS),
  gap: fc.oneof(fc.constant(0), fc.constant(0), evenly(0, 0.4), fc.constant(3)),
  share: fc.oneof(fc.constant(0), fc.constant('one' as const), evenly(0, 1.2)),
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

function rates(tested: Tested): fc.Arbitrary<RateLimitOptions & { burst: number }> {
  const hasBurst = tested.algorithm === 'gcra' || tested.algorithm.endsWith('-bucket');
  return fc
    .record({
      limit: fc.integer({ min: 1, max: 12 }),
      windowMs: fc.constantFrom(1, 7, 60, 997, 1_000),
      burst: fc.integer({ min: 1, max: 15 }),
    })
    .map((rate) => ({ ...rate, ...tested, burst: hasBurst ? rate.burst : rate.limit }));
}

/** What a store must do, by the pure functions on states in a Map. */
class Model {
  readonly #algorithm: RateAlgorithm;
  readonly #states = new Map<string, RateState>();

  constructor(options: RateLimitOptions) {
    this.#algorithm = createAlgorithm(options);
  }

  take(key: string, now: number, cost: number): RateDecision {
    const { decision, state } = this.#algorithm.take(this.#states.get(key), now, cost);
    this.#states.set(key, state);
    return decision;
  }

  peek(key: string, now: number, cost: number): RateDecision {
    return this.#algorithm.peek(this.#states.get(key), now, cost);
  }

  settle(key: string, now: number, reserved: number, actual: number, takenAtMs: number): void {
    const state = this.#states.get(key) ?? this.#algorithm.take(undefined, now, 0).state;
    this.#states.set(key, this.#algorithm.settle(state, now, reserved, actual, takenAtMs));
  }

  reset(key: string): void {
    this.#states.delete(key);
  }
}

async function compare(
  make: MakeStore,
  options: RateLimitOptions & { burst: number },
  operations: readonly Operation[],
): Promise<void> {
  const clock = new VirtualClock();
  const store = await make(clock);
  const rule = createRateRule('one', options);
  const model = new Model(options);
  for (const { kind, key, gap, share } of operations) {
    clock.advance(Math.floor(gap * options.windowMs));
    const now = clock.wallMs();
    const cost = share === 'one' ? 1 : Math.ceil(share * options.burst);
    if (kind === 'peek') {
      expect(await store.peek([{ rule, key, cost }])).toEqual([model.peek(key, now, cost)]);
    } else if (kind === 'reset') {
      await store.reset(rule, key);
      model.reset(key);
    } else {
      const { allowed, decisions, takenAtMs } = await store.take([{ rule, key, cost }]);
      expect(decisions).toEqual([model.take(key, now, cost)]);
      expect([allowed, takenAtMs]).toEqual([decisions[0]!.allowed, now]);
      if (kind !== 'settle' || !allowed) continue;
      clock.advance(Math.floor(gap * options.windowMs));
      const actual = gap === 0 ? cost + 2 : cost >> 1;
      await store.settle([{ rule, key, reserved: cost, actual, takenAtMs }]);
      model.settle(key, clock.wallMs(), cost, actual, takenAtMs);
    }
  }
  await store.close();
}

/** What every store promises: the decisions of the pure functions, and several rules as one. */
export function describeRateStore(title: string, make: MakeStore, { numRuns = 100 } = {}): void {
  describe(`${title} keeps the contract of stores`, () => {
    it.each(TESTED)('decides as the pure functions do: %j', async (tested) => {
      await fc.assert(
        fc.asyncProperty(rates(tested), fc.array(operation, { maxLength: 40 }), (options, operations) =>
          compare(make, options, operations),
        ),
        { numRuns },
      );
    });

    it('takes from all rules or from none', async () => {
      const anyRate = fc.constantFrom(...TESTED.filter((each) => !each.countRefused)).chain(rates);
      const three = fc.tuple(anyRate, anyRate, anyRate);
      const step = fc.tuple(
        fc.constantFrom(...KEYS),
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: 0, max: 300 }),
      );
      await fc.assert(
        fc.asyncProperty(three, fc.array(step, { maxLength: 30 }), async (rates, steps) => {
          const clock = new VirtualClock();
          const store = await make(clock);
          const rules = rates.map((options, i) => createRateRule(`rule-${i}`, options));
          const models = rates.map((options) => new Model(options));
          for (const [key, cost, gapMs] of steps) {
            clock.advance(gapMs);
            const now = clock.wallMs();
            const shadow = rules.length - 1;
            const requests = rules.map((rule, i) => ({ rule, key, cost, isShadow: i === shadow }));
            const passes = models.map((model) => model.peek(key, now, cost).allowed);
            const allowed = passes.every((each, i) => each || i === shadow);
            const expected = models.map((model, i) => model.take(key, now, allowed || !passes[i] ? cost : 0));
            expect(await store.take(requests)).toEqual({ allowed, decisions: expected, takenAtMs: now });
          }
          await store.close();
        }),
        { numRuns },
      );
    });

    it('lets exactly the limit through, however many come at once', async () => {
      for (const { algorithm } of TESTED) {
        const store = await make(new VirtualClock());
        const rule = createRateRule('five', { algorithm, limit: 5, windowMs: 60_000 });
        const requests = [{ rule, key: 'a', cost: 1 }];
        const answers = await Promise.all(Array.from({ length: 1_000 }, () => store.take(requests)));
        expect(answers.filter(({ allowed }) => allowed)).toHaveLength(5);
        await store.close();
      }
    });

    it('remembers nothing after an idle hour', async () => {
      for (const { algorithm } of TESTED) {
        const clock = new VirtualClock();
        const store = await make(clock);
        const rule = createRateRule('five', { algorithm, limit: 5, windowMs: 60_000 });
        const take = async (): Promise<RateDecision> =>
          (await store.take([{ rule, key: 'a', cost: 5 }])).decisions[0]!;
        expect([(await take()).allowed, (await take()).allowed]).toEqual([true, false]);
        clock.advance(3_600_000);
        expect(await take()).toMatchObject({ allowed: true, remaining: 0 });
        await store.close();
      }
    });

    it('gives places in a queue at a constant rate, apart from what is taken', async () => {
      const clock = new VirtualClock();
      const store = await make(clock);
      const rule: RateRule = createRateRule('q', {
        algorithm: 'leaking-bucket',
        limit: 2,
        windowMs: 1_000,
        burst: 3,
      });
      const now = clock.wallMs();
      const request = { rule, key: 'a', cost: 1 };
      const places = [];
      for (let i = 0; i < 5; i++) places.push(await store.schedule(request));
      expect(places.map(({ dueMs }) => dueMs)).toEqual([now, now + 500, now + 1_000, now + 1_500, undefined]);
      expect(places.at(-1)).toMatchObject({ retryAfterMs: 500, nowMs: now });
      expect((await store.take([request])).decisions[0]!.remaining).toBe(2);
      expect((await store.schedule({ ...request, key: 'b', cost: 9 })).retryAfterMs).toBe(
        Number.POSITIVE_INFINITY,
      );
      await store.reset(rule, 'a');
      expect((await store.schedule(request)).dueMs).toBe(now);
      await store.close();
    });

    it('refuses a rule that is asked twice, and another one of the same name', async () => {
      const store = await make(new VirtualClock());
      const rule = createRateRule('five', { algorithm: 'gcra', limit: 5, windowMs: 60_000 });
      const twice = Array.from({ length: 2 }, () => ({ rule, key: 'a', cost: 1 }));
      await expect(store.take(twice)).rejects.toThrow('rules of a request must be distinct, got five twice');
      const other = createRateRule('five', { algorithm: 'gcra', limit: 6, windowMs: 60_000 });
      await expect(store.take([{ rule: other, key: 'a', cost: 1 }])).rejects.toThrow(RangeError);
      const same = createRateRule('five', { algorithm: 'gcra', limit: 5, windowMs: 60_000 });
      await store.take([{ rule, key: 'a', cost: 5 }]);
      expect((await store.take([{ rule: same, key: 'a', cost: 1 }])).allowed).toBe(false);
      await store.close();
    });

    it('decides nothing once it is closed, twice if need be', async () => {
      const store = await make(new VirtualClock());
      const rule = createRateRule('five', { algorithm: 'gcra', limit: 5, windowMs: 60_000 });
      await store.take([{ rule, key: 'a', cost: 1 }]);
      await store.close();
      await store.close();
      await expect(store.take([{ rule, key: 'a', cost: 1 }])).rejects.toThrow('closed');
    });
  });
}
