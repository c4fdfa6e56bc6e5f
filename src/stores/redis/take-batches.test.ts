import { describe, expect, it } from 'vitest';
import { createRateRule } from '../rate-store.js';
import { ruleCode } from './rule-code.js';
import type { TakeEntry } from './take-batch.js';
import { MOST_ENTRIES, TakeBatches } from './take-batches.js';

const RULES = ['one', 'other'].map((name) =>
  ruleCode(createRateRule(name, { algorithm: 'fixed-window', limit: 5, windowMs: 1_000 })),
);

function entry(key: string, { rule = 0, cost = 1, isShadow = false } = {}): TakeEntry {
  return { rule: RULES[rule]!, key, cost, isShadow };
}

/** A Redis that is answered for by hand. */
function batches() {
  const calls: {
    keys: readonly string[];
    batch: unknown;
    resolve(reply: unknown): void;
    reject(e: Error): void;
  }[] = [];
  const ends: (() => void)[] = [];
  const tested = new TakeBatches({
    run: (keys, batch) =>
      new Promise((resolve, reject) => calls.push({ keys, batch: JSON.parse(batch), resolve, reject })),
    nowMs: () => 7,
    atEndOfTurn: (flush) => ends.push(flush),
  });
  return { tested, calls, ends };
}

describe('TakeBatches', () => {
  it('sends all of a turn together, rules once, and gives everybody their own answer', async () => {
    const { tested, calls, ends } = batches();
    const first = tested.take(0, [entry('a', { cost: 3 })]);
    const second = tested.take(0, [entry('b', { isShadow: true }), entry('b2', { rule: 1, cost: 2 })]);
    expect([calls.length, ends.length]).toEqual([0, 1]);
    ends.pop()!();
    expect(calls[0]!.keys).toEqual(['a', 'b', 'b2']);
    const rules = [
      ['f', 5, 1_000],
      ['f', 5, 1_000],
    ];
    expect(calls[0]!.batch).toEqual([7, rules, [1, 3, 2, 1, 5, 2]]);
    calls[0]!.resolve([99, 2, 800, 0, 0, 800, 800, 3, 800, 0]);
    expect(await first).toEqual({
      allowed: true,
      takenAtMs: 99,
      decisions: [{ allowed: true, limit: 5, remaining: 2, resetMs: 800, retryAfterMs: 0 }],
    });
    // The one in shadow does not keep it from passing.
    const { allowed, decisions } = await second;
    expect([allowed, decisions.map((each) => each.allowed)]).toEqual([true, [false, true]]);
  });

  it('sends again in the next turn, also before the first is answered', () => {
    const { tested, calls, ends } = batches();
    void tested.take(0, [entry('a')]);
    ends.pop()!();
    void tested.take(0, [entry('b')]);
    ends.pop()!();
    expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
  });

  it('keeps calls short, and never cuts a request in two', () => {
    const { tested, calls, ends } = batches();
    for (let i = 0; i < MOST_ENTRIES - 1; i++) void tested.take(0, [entry(`${i}`)]);
    void tested.take(0, [entry('x'), entry('y')]);
    const many = Array.from({ length: 2 * MOST_ENTRIES }, (_, i) => entry(`many-${i}`));
    void tested.take(0, many);
    expect(ends).toHaveLength(1);
    ends.pop()!();
    expect(calls.map(({ keys }) => keys.length)).toEqual([MOST_ENTRIES - 1, 2, 2 * MOST_ENTRIES]);
  });

  it('keeps slots apart', () => {
    const { tested, calls, ends } = batches();
    for (const [slot, key] of [
      [1, 'a'],
      [2, 'b'],
      [1, 'c'],
    ] as const) {
      void tested.take(slot, [entry(key)]);
    }
    ends.pop()!();
    expect(calls.map(({ keys }) => keys)).toEqual([['a', 'c'], ['b']]);
  });

  it('tells those whose state cannot be read, and only those', async () => {
    const { tested, calls, ends } = batches();
    const answers = ['a', 'b'].map((key) => tested.take(0, [entry(key)]));
    ends.pop()!();
    calls[0]!.resolve([99, -1, -1, -1, 0, 5, -1, 'WRONGTYPE of it']);
    await expect(answers[0]).rejects.toThrow('the state of rule one cannot be read: WRONGTYPE of it');
    // It costs more than ever passes.
    expect((await answers[1]!).decisions[0]!.retryAfterMs).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([[undefined], ['OK'], [[99, 1, 1]], [[99, 1, 1, 'x', 1, 1, 0]]])(
    'does not believe what is no answer: %j',
    async (reply) => {
      const { tested, calls, ends } = batches();
      const answers = ['a', 'b'].map((key) => tested.take(0, [entry(key)]));
      ends.pop()!();
      calls[0]!.resolve(reply);
      await expect(answers[0]).rejects.toThrow(Error);
      await Promise.allSettled(answers);
    },
  );

  it('fails all of a call that fails', async () => {
    const { tested, calls, ends } = batches();
    const answers = ['a', 'b'].map((key) => tested.take(0, [entry(key)]));
    ends.pop()!();
    calls[0]!.reject(new Error('gone'));
    for (const answer of answers) await expect(answer).rejects.toThrow('gone');
  });

  it('sends nothing more once it is closed', async () => {
    const { tested, calls, ends } = batches();
    const answer = tested.take(0, [entry('a')]);
    tested.close(new Error('closed'));
    ends.pop()!();
    await expect(answer).rejects.toThrow('closed');
    expect(calls).toEqual([]);
  });
});
