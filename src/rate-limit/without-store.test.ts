import { describe, expect, it } from 'vitest';
import { createRateRule } from '../stores/rate-store.js';
import { VirtualClock } from '../testing/index.js';
import { fallbackOf, type OnStoreFailure } from './fallback.js';
import { type Undecided, WithoutStore } from './without-store.js';

/** A request of a rule of 10 an hour of which this process has 3, or another share. */
function asked(name: string, localShare?: number, onStoreFailure: OnStoreFailure = 'allow'): Undecided {
  const rule = createRateRule(name, { algorithm: 'leaking-bucket', limit: 10, windowMs: 60_000 });
  return { rule, key: 'k', cost: 1, fallback: fallbackOf(rule, { onStoreFailure, localShare }) };
}

function made() {
  const clock = new VirtualClock();
  return { clock, without: new WithoutStore(clock) };
}

const allowed = async (without: WithoutStore, requests: readonly Undecided[]) =>
  (await without.takeAll(requests)).map((decision) => decision.allowed);

describe('WithoutStore', () => {
  it('does as the rule says without a share', async () => {
    const { without } = made();
    for (let i = 0; i < 20; i++) expect(without.take(asked('a')).allowed).toBe(true);
    expect(without.take(asked('a', undefined, 'refuse'))).toMatchObject({
      allowed: false,
      decisions: [{ allowed: false, limit: 10, retryAfterMs: 1_000 }],
    });
    expect((await without.peek(asked('a', undefined, 'refuse'))).allowed).toBe(false);
    expect(await without.schedule(asked('a'))).toBe(undefined);
    expect(await allowed(without, [asked('a'), asked('b', undefined, 'refuse')])).toEqual([true, false]);
  });

  it('lets the share through, whatever the rule says otherwise', async () => {
    for (const choice of ['allow', 'refuse'] as const) {
      const { without, clock } = made();
      const request = asked('a', 0.3, choice);
      expect(without.take(request).decisions).toMatchObject([{ allowed: true, limit: 3, remaining: 2 }]);
      without.take(request);
      expect((await without.peek(request)).remaining).toBe(0);
      without.take(request);
      const { allowed: last, decisions } = without.take(request);
      expect([last, decisions[0]!.retryAfterMs]).toEqual([false, 20_000]);
      expect(without.take({ ...request, key: 'other' }).allowed).toBe(true);
      clock.advance(20_000);
      expect(without.take(request).allowed).toBe(true);
    }
  });

  it('says that what is more than the share may pass when the store is back, and what is more than all never', async () => {
    const { without } = made();
    const more = { ...asked('a', 0.3), cost: 5 };
    expect(without.take(more).decisions).toMatchObject([{ allowed: false, retryAfterMs: 1_000 }]);
    expect(await without.peek(more)).toMatchObject({ allowed: false, retryAfterMs: 1_000 });
    const most = { ...more, cost: 11 };
    expect(without.take(most).decisions[0]!.retryAfterMs).toBe(Number.POSITIVE_INFINITY);
    expect((await without.takeAll([most, asked('b')]))[0]!.retryAfterMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('takes from all rules or from none', async () => {
    const { without } = made();
    const [three, one] = [asked('three', 0.3), asked('one', 0.1)];
    const left = async (request: Undecided) => (await without.peek({ ...request, cost: 0 })).remaining;
    expect(await allowed(without, [three, one])).toEqual([true, true]);
    expect(await allowed(without, [three, one])).toEqual([true, false]);
    expect(await left(three)).toBe(2);
    expect(await allowed(without, [three, asked('no', undefined, 'refuse')])).toEqual([true, false]);
    expect(await left(three)).toBe(2);
    expect(await allowed(without, [one, asked('no', undefined, 'refuse')])).toEqual([false, false]);
    const shadow = { ...asked('no', undefined, 'refuse'), isShadow: true };
    expect(await allowed(without, [three, shadow])).toEqual([true, false]);
    expect(await left(three)).toBe(1);
  });

  it('settles what it gave, and forgets when told to', async () => {
    const { without } = made();
    const request = { ...asked('a', 0.5), cost: 4 };
    const { takenAtMs } = without.take(request);
    const settlement = { rule: request.rule, key: 'k', reserved: 4, actual: 1, takenAtMs };
    await without.settle(settlement, request.fallback);
    expect((await without.peek({ ...request, cost: 0 })).remaining).toBe(4);
    await without.reset(request.fallback, 'k');
    expect((await without.peek({ ...request, cost: 0 })).remaining).toBe(5);
  });

  it('lets wait at the rate of the share', async () => {
    const { without, clock } = made();
    const places = [];
    for (let i = 0; i < 7; i++) places.push(await without.schedule(asked('a', 0.5)));
    const now = places[0]!.nowMs;
    expect(places.map((place) => place?.dueMs && place.dueMs - now)).toEqual([
      0,
      12_000,
      24_000,
      36_000,
      48_000,
      60_000,
      undefined,
    ]);
    clock.advance(12_000);
    expect((await without.schedule(asked('a', 0.5)))?.dueMs).toBe(now + 72_000);
  });

  it('begins anew only when the store has answered for as long as the window is', async () => {
    const { without, clock } = made();
    const request = asked('a', 0.1);
    const left = async () => (await without.peek({ ...request, cost: 0 })).resetMs;
    clock.advance(1_000_000);
    const { takenAtMs } = without.take(request);
    // Twice the share: it takes two windows until it is gone by itself.
    const more = { rule: request.rule, key: 'k', reserved: 1, actual: 2, takenAtMs };
    await without.settle(more, request.fallback);
    clock.advance(59_999);
    without.onAnswered();
    expect(await left()).toBe(60_001);
    clock.advance(59_999);
    without.onAnswered();
    expect(without.take({ ...request, cost: 0 }).decisions[0]!.resetMs).toBe(2);
    await without.settle({ ...more, reserved: 0 }, request.fallback);
    clock.advance(60_000);
    without.onAnswered();
    expect(await left()).toBe(0);
  });

  it('counts nothing any more when it is closed', () => {
    const { without } = made();
    for (let i = 0; i < 2; i++) without.take(asked('a', 0.1, 'allow'));
    without.close();
    without.close();
    without.onAnswered();
    expect(without.take(asked('a', 0.1, 'allow')).allowed).toBe(true);
  });
});
