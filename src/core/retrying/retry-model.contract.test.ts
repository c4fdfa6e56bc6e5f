import { describe, expect, it } from 'vitest';
import type { Random } from '../environment.js';
import { SeededRandom } from '../seeded-random.js';
import { OverloadAdvice, outcomeForAbove, type RetryBudgetOptions } from './index.js';
import {
  type GiveUp,
  ModelClient,
  NO_CLIENT_BUDGET,
  oneProcessor,
  type Run,
  runService,
  type Send,
  SheddingBackend,
} from './retry-model.contract.js';

interface Model {
  /** When the backend of this ordinal refuses. */
  readonly refusing: (random: Random, ordinal: number) => (now: number) => boolean;
  readonly budget?: Partial<RetryBudgetOptions>;
  readonly hasAdvice?: boolean;
  readonly clients?: number;
  readonly requestsPerSecond?: number;
}

/** Twenty seconds of a service of ten backends. */
function run({
  refusing,
  budget = {},
  hasAdvice = false,
  clients = 10,
  requestsPerSecond = 500,
}: Model): Run {
  const lots = new SeededRandom(12);
  const random = () => lots.next();
  const backends = Array.from({ length: 10 }, (_, ordinal) => {
    return new SheddingBackend(refusing(random, ordinal), hasAdvice ? new OverloadAdvice() : undefined);
  });
  return runService({ clients, budget, backends, requestsPerSecond, seconds: 20, random });
}

describe('a service that refuses 99 %', () => {
  const refusing: Model['refusing'] = (random) => () => random() < 0.99;

  it('gets just under three times the load with the request budget alone', () => {
    const { growth } = run({ refusing, budget: NO_CLIENT_BUDGET });
    expect(growth).toBeLessThan(3);
    // 1 + .99 + .99²
    expect(growth).toBeCloseTo(2.97, 2);
  });

  it('gets 1.1 times the load with both budgets', () => {
    const { growth } = run({ refusing });
    expect(growth).toBeLessThanOrEqual(1.1);
    expect(growth).toBeGreaterThan(1.09);
  });

  it('gets less when it advises against retries, even from clients without a budget', () => {
    expect(run({ refusing, hasAdvice: true }).growth).toBeLessThan(1.08);
    expect(run({ refusing, hasAdvice: true, budget: NO_CLIENT_BUDGET }).growth).toBeLessThan(1.08);
  });

  it('needs the advice when its clients are many and rare, since each has its one retry', () => {
    const rare = { refusing, clients: 10_000 };
    expect(run(rare).growth).toBeGreaterThan(1.6);
    expect(run({ ...rare, hasAdvice: true }).growth).toBeLessThan(1.08);
  });
});

describe('a service offered 1.5 times its capacity', () => {
  const loaded = { refusing: () => oneProcessor(100), requestsPerSecond: 1_500 };

  it('gets 2.2 times that without a client budget, 1.1 times with one, and serves more', () => {
    const without = run({ ...loaded, budget: NO_CLIENT_BUDGET });
    const budgeted = run(loaded);
    expect(without.growth).toBeGreaterThan(2.15);
    expect(without.growth).toBeLessThan(2.35);
    expect(budgeted.growth).toBeGreaterThan(1.09);
    expect(budgeted.growth).toBeLessThanOrEqual(1.12);
    expect(budgeted.served).toBeGreaterThan(without.served + 0.04);
  });

  it('gets 1.06 times that with advice as well, and loses nothing by it', () => {
    const advised = run({ ...loaded, hasAdvice: true });
    expect(advised.growth).toBeLessThan(1.08);
    expect(advised.served).toBeGreaterThanOrEqual(run(loaded).served);
  });
});

describe('a service one of whose ten backends is overloaded', () => {
  it('saves by retries nearly all that it refuses of half again its load', () => {
    const refusing: Model['refusing'] = (random, ordinal) => () => ordinal === 0 && random() < 1 / 3;
    expect(run({ refusing, budget: { ratio: 0 } }).served).toBeCloseTo(0.967, 2);
    expect(run({ refusing, hasAdvice: true }).served).toBeGreaterThan(0.99);
  });

  it('pays for its caution when that one refuses everything: the known price of the line at 5 %', () => {
    const refusing: Model['refusing'] = (_, ordinal) => () => ordinal === 0;
    expect(run({ refusing }).served).toBeCloseTo(0.98, 2);
    const advised = run({ refusing, hasAdvice: true });
    expect(advised.served).toBeGreaterThan(0.94);
    expect(advised.served).toBeLessThan(0.96);
    expect(advised.growth).toBeLessThan(1.08);
  });
});

describe('a stack of layers over one that refuses everything', () => {
  const everyLayer: GiveUp = (outcome) => outcome;
  const rightAbove: GiveUp = outcomeForAbove;

  /** `depth` layers that call, each the one below; attempts that reach the bottom for each request at the top. */
  function attemptsAtBottom(rules: {
    depth?: number;
    budget?: Partial<RetryBudgetOptions>;
    giveUp: GiveUp;
    advice?: OverloadAdvice;
    requests?: number;
  }): number {
    const { depth = 4, budget = {}, giveUp, requests = 2_000 } = rules;
    const bottom = new SheddingBackend(() => true, rules.advice);
    let send: Send = (attempt, now) => bottom.receive(attempt, now);
    for (let layer = 0; layer < depth; layer++) {
      const client = new ModelClient(budget, send, giveUp);
      send = (_, now) => client.request(now);
    }
    for (let index = 0; index < requests; index++) send(1, index * 10);
    return bottom.arrivals / requests;
  }

  it('explodes when each layer tries three times: 81 attempts for a request over four layers', () => {
    const naive = { budget: NO_CLIENT_BUDGET, giveUp: everyLayer, requests: 100 };
    const attempts = [1, 2, 3, 4].map((depth) => attemptsAtBottom({ ...naive, depth }));
    expect(attempts).toEqual([3, 9, 27, 81]);
  });

  it('gets three attempts from any number of layers when only the one right above retries', () => {
    const layered = { budget: NO_CLIENT_BUDGET, giveUp: rightAbove };
    const attempts = [1, 2, 3, 4].map((depth) => attemptsAtBottom({ ...layered, depth }));
    expect(attempts).toEqual([3, 3, 3, 3]);
  });

  it('gets 1.1⁴ attempts when there are only client budgets, 1.1 with both rules, less with advice', () => {
    expect(attemptsAtBottom({ giveUp: everyLayer })).toBeCloseTo(1.1 ** 4, 2);
    expect(attemptsAtBottom({ giveUp: rightAbove })).toBeCloseTo(1.1, 3);
    const advised = attemptsAtBottom({ giveUp: rightAbove, advice: new OverloadAdvice() });
    expect(advised).toBeLessThan(1.08);
    expect(advised).toBeGreaterThan(1.03);
  });
});
