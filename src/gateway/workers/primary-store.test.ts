import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../stores/memory/memory-store.js';
import { describeRateStore } from '../../stores/rate-store.contract.js';
import { createRateRule } from '../../stores/rate-store.js';
import type { VirtualClock } from '../../testing/index.js';
import { PrimaryStore } from './primary-store.js';
import { StoreDesk } from './store-desk.js';
import type { SentAnswer, SentAsks } from './store-messages.js';

const FIVE = createRateRule('five', { algorithm: 'sliding-log', limit: 5, windowMs: 60_000 });
const TEN = createRateRule('ten', { algorithm: 'gcra', limit: 10, windowMs: 60_000 });

/** As between processes: what JSON makes of it. */
function travelled<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function askOf(desk: StoreDesk, sent: SentAsks[] = []) {
  return async (asks: SentAsks): Promise<readonly SentAnswer[]> => {
    sent.push(asks);
    return travelled(await desk.answer(travelled(asks)));
  };
}

/** The contract closes a store and asks again: one store for each. */
async function make(environment: VirtualClock): Promise<PrimaryStore> {
  const desk = new StoreDesk(memoryStore({ environment }));
  return new PrimaryStore(askOf(desk), { atEndOfTurn: queueMicrotask });
}

describeRateStore('the store of a primary', make, { numRuns: 25 });

describe('a worker that asks its primary', () => {
  const request = { rule: FIVE, key: 'a', cost: 1 };

  it('sends what is asked in a turn together, and rules once', async () => {
    const sent: SentAsks[] = [];
    const store = new PrimaryStore(askOf(new StoreDesk(memoryStore()), sent), {
      atEndOfTurn: queueMicrotask,
    });
    const answers = await Promise.all([
      ...Array.from({ length: 7 }, () => store.take([request])),
      store.take([{ rule: TEN, key: 'a', cost: 1 }, request]),
    ]);
    expect(answers.map(({ allowed }) => allowed)).toEqual([...Array(5).fill(true), ...Array(3).fill(false)]);
    expect(sent).toHaveLength(1);
    expect(sent[0]!.rules.map(([name]) => name)).toEqual(['five', 'ten']);
    await store.take([request]);
    expect(sent[1]!.rules).toEqual([]);
    expect(sent[1]!.asks).toHaveLength(1);
  });

  it('counts together with other workers', async () => {
    const desk = new StoreDesk(memoryStore());
    const workers = [1, 2, 3].map(() => new PrimaryStore(askOf(desk), { atEndOfTurn: queueMicrotask }));
    const answers = await Promise.all(
      workers.flatMap((store) => Array.from({ length: 4 }, () => store.take([request]))),
    );
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(5);
    await workers[0]!.reset(FIVE, 'a');
    expect((await workers[1]!.peek([request]))[0]).toMatchObject({ allowed: true, remaining: 4 });
  });

  it('keeps a cost that can never pass apart from one that can', async () => {
    const store = await make({ wallMs: () => 0, monotonicMs: () => 0, random: () => 0 } as VirtualClock);
    const { decisions } = await store.take([{ ...request, cost: 6 }]);
    expect(decisions[0]!.retryAfterMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('fails all of a turn when the primary does, and introduces rules again', async () => {
    const desk = new StoreDesk(memoryStore());
    let isGone = true;
    const store = new PrimaryStore(
      async (asks) => {
        if (isGone) throw new Error('gone');
        return desk.answer(asks);
      },
      { atEndOfTurn: queueMicrotask },
    );
    const failed = await Promise.allSettled([store.take([request]), store.take([request])]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isGone = false;
    expect((await store.take([request])).decisions[0]!.remaining).toBe(4);
  });

  it('has what is wrong with one question answered to that one', async () => {
    const store = new PrimaryStore(askOf(new StoreDesk(memoryStore())), { atEndOfTurn: queueMicrotask });
    const [twice, once] = await Promise.allSettled([store.take([request, request]), store.take([request])]);
    expect((twice as PromiseRejectedResult).reason).toBeInstanceOf(RangeError);
    expect(once.status).toBe('fulfilled');
  });

  it('refuses more than may wait, and takes more when answers have come', async () => {
    const desk = new StoreDesk(memoryStore());
    const store = new PrimaryStore(askOf(desk), { maxWaiting: 3, atEndOfTurn: queueMicrotask });
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => store.take([request])));
    expect(all.map(({ status }) => status)).toEqual([
      ...Array(3).fill('fulfilled'),
      ...Array(2).fill('rejected'),
    ]);
    expect((await store.take([request])).allowed).toBe(true);
    expect(() => new PrimaryStore(askOf(desk), { maxWaiting: 0 })).toThrow('maxWaiting');
  });

  it('does not believe an answer that is none', async () => {
    const answering = (answers: readonly SentAnswer[]) =>
      new PrimaryStore(async () => answers, { atEndOfTurn: queueMicrotask });
    await expect(answering([]).take([request])).rejects.toThrow('no answer');
    await expect(answering([['done']]).take([request])).rejects.toThrow('something else');
    await expect(answering([['done']]).peek([request])).rejects.toThrow('something else');
    await expect(answering([['done']]).schedule(request)).rejects.toThrow('something else');
  });
});
