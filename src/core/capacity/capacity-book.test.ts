import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CapacityBook, type CapacityBookOptions } from './capacity-book.js';
import { type CapacityAsk, type CapacityGrant, readCapacityGrant } from './capacity-messages.js';

const LEASE_MS = 60_000;
const KEPT_MS = LEASE_MS * 1.001;

function bookOf(given: Partial<CapacityBookOptions> = {}, now = 0): CapacityBook {
  return new CapacityBook(now, { capacity: 100, learningMs: 0, ...given });
}

let turns = 0;

function asks(client: string, wants: number, has = 0, more: Partial<CapacityAsk> = {}): CapacityAsk {
  const bands = [{ priority: 0, wants, subclients: 1 }];
  return { client, life: 'first', turn: ++turns, has, bands, ...more };
}

function refresh(book: CapacityBook, now: number, ask: CapacityAsk): CapacityGrant {
  const grant = book.refresh(now, ask);
  expect(grant).toBeDefined();
  return grant!;
}

const given = (book: CapacityBook, now: number, ask: CapacityAsk) => refresh(book, now, ask).capacity;

describe('CapacityBook', () => {
  it('grants a share that does not go beyond what others hold', () => {
    const book = bookOf();
    expect(refresh(book, 0, asks('a', 80))).toEqual({
      capacity: 80,
      validMs: expect.closeTo(LEASE_MS, 6),
      refreshMs: 16_000,
      safeCapacity: 100,
      inherited: 0,
    });
    // Its share is 50, but 80 are with the other.
    const short = refresh(book, 1, asks('b', 80));
    expect(short).toMatchObject({ capacity: 20, refreshMs: 4_000, safeCapacity: 50 });
    expect(book.snapshot(1)).toEqual({
      capacity: 100,
      handedOut: 100,
      wants: 160,
      clients: 2,
      isLearning: false,
    });
  });

  it('gives what a client was told to give up to others only once it says that it has', () => {
    const book = bookOf();
    given(book, 0, asks('a', 80));
    given(book, 1, asks('b', 80));
    expect(refresh(book, 2, asks('a', 80, 80))).toMatchObject({ capacity: 50, refreshMs: 1_000 });
    // The answer may be lost.
    expect(given(book, 3, asks('b', 80, 20))).toBe(20);
    given(book, 4, asks('a', 80, 80));
    expect(given(book, 5, asks('b', 80, 20))).toBe(20);
    expect(refresh(book, 6, asks('a', 80, 50))).toMatchObject({ capacity: 50, refreshMs: 16_000 });
    expect(given(book, 7, asks('b', 80, 20))).toBe(50);
  });

  it('has no answer to an ask that was overtaken', () => {
    const book = bookOf();
    const late = asks('a', 80);
    expect(given(book, 0, asks('a', 30))).toBe(30);
    expect(book.refresh(1, late)).toBeUndefined();
    expect(book.snapshot(1).wants).toBe(30);
  });

  it('has no answer to an ask that comes twice: what it says is no longer so', () => {
    const book = bookOf();
    const ask = asks('a', 80);
    given(book, 0, ask);
    given(book, 1, asks('b', 80));
    expect(book.refresh(2, ask)).toBeUndefined();
    expect(given(book, 3, asks('b', 80, 20))).toBe(20);
  });

  it('lets a client that wants nothing take its time', () => {
    expect(refresh(bookOf(), 0, asks('a', 0))).toMatchObject({ capacity: 0, refreshMs: 16_000 });
  });

  it('forgets who does not ask for a lease, and a little longer for slow clocks', () => {
    const book = bookOf();
    given(book, 0, asks('a', 80));
    expect(given(book, LEASE_MS, asks('b', 100))).toBe(20);
    expect(given(book, KEPT_MS, asks('b', 100, 20))).toBe(100);
    expect(book.snapshot(KEPT_MS).clients).toBe(1);
  });

  it('takes back what is released, by the life that has it', () => {
    const book = bookOf();
    given(book, 0, asks('a', 80));
    book.release({ client: 'nobody', life: 'first' });
    book.release({ client: 'a', life: 'other' });
    expect(given(book, 1, asks('b', 100))).toBe(20);
    book.release({ client: 'a', life: 'first' });
    expect(given(book, 2, asks('b', 100, 20))).toBe(100);
    expect(book.snapshot(2).clients).toBe(1);
  });

  it('counts what an earlier life had until it ends, and not on top', () => {
    const book = bookOf();
    given(book, 0, asks('a', 60));
    const again = refresh(book, 1_000, asks('a', 30, 0, { life: 'second' }));
    expect(again).toMatchObject({ capacity: 30, inherited: 60 });
    expect(given(book, 2_000, asks('b', 100))).toBe(40);
    // What it says is of its own life only.
    given(book, 3_000, asks('a', 30, 30, { life: 'second' }));
    expect(given(book, 4_000, asks('b', 100, 40))).toBe(40);
    expect(given(book, KEPT_MS, asks('b', 100, 40))).toBe(70);
    expect(refresh(book, KEPT_MS, asks('a', 30, 30, { life: 'second' })).inherited).toBe(0);
  });

  it('hears a new life, which counts its asks anew', () => {
    const book = bookOf();
    given(book, 0, asks('a', 60, 0, { turn: 7 }));
    expect(given(book, 1_000, asks('a', 30, 0, { life: 'second', turn: 1 }))).toBe(30);
  });

  it('keeps what an earlier life had when the later one gives back its own', () => {
    const book = bookOf();
    given(book, 0, asks('a', 60));
    given(book, 1_000, asks('a', 30, 0, { life: 'second' }));
    book.release({ client: 'a', life: 'second' });
    expect(given(book, 2_000, asks('b', 100))).toBe(40);
    expect(book.snapshot(2_000).wants).toBe(100);
    expect(given(book, KEPT_MS, asks('b', 100, 40))).toBe(100);
  });

  it('tells a new life of the most that is out until the last of it has ended', () => {
    const book = bookOf();
    given(book, 0, asks('a', 60));
    given(book, 1_000, asks('a', 30, 60));
    given(book, 2_000, asks('a', 10, 0, { life: 'second' }));
    const ask = () => asks('a', 10, 10, { life: 'second' });
    expect(refresh(book, KEPT_MS + 500, ask()).inherited).toBe(60);
    expect(refresh(book, KEPT_MS + 1_000, ask()).inherited).toBe(0);
  });

  it('keeps few steps of a client that never says what it has', () => {
    const book = bookOf();
    for (let wants = 50; wants > 30; wants--) given(book, 50 - wants, asks('a', wants, 1e9));
    expect(book.snapshot(20).handedOut).toBe(50);
    expect(book.snapshot(KEPT_MS + 15.5).handedOut).toBe(50);
    expect(book.snapshot(KEPT_MS + 19).handedOut).toBe(0);
  });

  it('does not count again what has ended when steps are made few', () => {
    const book = bookOf();
    const instants = [0, 1_000, 2_000, 3_000, 62_500, 62_600, 62_700];
    for (const [i, now] of instants.entries()) given(book, now, asks('a', 50 - 5 * i, 1e9));
    expect(book.snapshot(62_700).handedOut).toBe(35);
  });

  it('serves a higher priority first', () => {
    const book = bookOf();
    const high = (has: number) =>
      asks('high', 70, has, { bands: [{ priority: 5, wants: 70, subclients: 1 }] });
    given(book, 0, asks('low', 100));
    given(book, 1, high(0));
    expect(given(book, 2, asks('low', 100, 100))).toBe(30);
    given(book, 3, asks('low', 100, 30));
    expect(given(book, 4, high(0))).toBe(70);
  });

  it('caps each client by itself when static', () => {
    const book = bookOf({ algorithm: 'static', learningMs: undefined });
    expect([100, 10, 120].map((wants, i) => given(book, 0, asks(`c${i}`, wants)))).toEqual([100, 10, 100]);
  });

  it('tells a safe capacity: a share of all, or the one that is set', () => {
    const bands = [{ priority: 0, wants: 5, subclients: 3 }];
    expect(refresh(bookOf(), 0, asks('a', 0, 0, { bands: [] })).safeCapacity).toBe(0);
    const book = bookOf();
    given(book, 0, asks('a', 5));
    expect(refresh(book, 0, asks('b', 5, 0, { bands })).safeCapacity).toBe(75);
    expect(refresh(book, 0, asks('c', 5, 0, { bands: [] })).safeCapacity).toBe(0);
    expect(refresh(bookOf({ safeCapacity: 2 }), 0, asks('b', 5, 0, { bands })).safeCapacity).toBe(6);
  });

  it('has room for so many clients, and nothing for others', () => {
    const book = bookOf({ maxClients: 1 });
    given(book, 0, asks('a', 10));
    expect(refresh(book, 0, asks('b', 10))).toMatchObject({ capacity: 0, safeCapacity: 0 });
    expect(given(book, KEPT_MS, asks('b', 10))).toBe(10);
  });

  describe('when the capacity is changed', () => {
    it('grows at once', () => {
      const book = bookOf();
      given(book, 0, asks('a', 300));
      book.setCapacity(1, 200);
      expect(given(book, 2, asks('a', 300, 100))).toBe(200);
    });

    it('shrinks as leases are refreshed, and for good when the old ones have ended', () => {
      const book = bookOf();
      given(book, 0, asks('a', 50));
      given(book, 0, asks('b', 50));
      book.setCapacity(1, 40);
      // Nobody is told to stop for others who were not told yet.
      expect(refresh(book, 2, asks('a', 50, 50))).toMatchObject({ capacity: 20, refreshMs: 1_000 });
      expect(book.snapshot(3).handedOut).toBe(100);
      given(book, 4, asks('a', 50, 20));
      expect(book.snapshot(5).handedOut).toBe(70);
      expect(book.snapshot(1 + KEPT_MS).handedOut).toBe(20);
      expect(given(book, 1 + KEPT_MS, asks('b', 50, 0))).toBe(20);
    });

    it('gives no more than fits into the new one beyond the end of the old one', () => {
      const book = bookOf();
      given(book, 0, asks('a', 100));
      book.setCapacity(1, 40);
      given(book, 2, asks('a', 30, 100));
      expect(given(book, 3, asks('b', 30))).toBe(0);
      given(book, 4, asks('a', 30, 30));
      expect(given(book, 5, asks('b', 30))).toBe(10);
    });
  });

  describe('while it learns', () => {
    it('grants what clients say they have, as the table says, within the capacity', () => {
      const book = bookOf({ learningMs: undefined });
      expect(refresh(book, 0, asks('a', 30, 20))).toMatchObject({ capacity: 20, inherited: undefined });
      expect(given(book, 1, asks('b', 90, 70))).toBe(70);
      expect(given(book, 2, asks('c', 90))).toBe(0);
      expect(book.snapshot(2)).toMatchObject({ isLearning: true, handedOut: 90 });
      // Then it divides.
      expect(refresh(book, 50_000, asks('a', 30, 20)).refreshMs).toBeCloseTo(10_060, 6);
      expect(given(book, KEPT_MS, asks('a', 30, 20))).toBe(30);
      expect(book.snapshot(KEPT_MS).isLearning).toBe(false);
    });

    it('passes on what a client gives up', () => {
      const book = bookOf({ learningMs: undefined });
      given(book, 0, asks('a', 60, 60));
      expect(given(book, 1, asks('b', 30))).toBe(0);
      given(book, 2, asks('a', 40, 60));
      expect(given(book, 3, asks('b', 30))).toBe(0);
      given(book, 4, asks('a', 40, 40));
      expect(given(book, 5, asks('b', 30))).toBe(20);
    });

    it('counts what a client said for a lease, and a little longer for slow clocks', () => {
      const book = bookOf({ learningMs: 2 * LEASE_MS });
      given(book, 0, asks('a', 0, 60));
      expect(given(book, LEASE_MS, asks('b', 60))).toBe(0);
      expect(given(book, KEPT_MS, asks('b', 60))).toBe(60);
    });

    it('counts what was handed out before no longer than it learns', () => {
      const book = bookOf({ learningMs: undefined });
      given(book, 30_000, asks('a', 0, 20));
      expect(book.snapshot(60_000).handedOut).toBe(20);
      expect(book.snapshot(KEPT_MS).handedOut).toBe(0);
    });

    it('has nothing left to learn when all of the capacity is accounted for', () => {
      const book = bookOf({ learningMs: undefined });
      given(book, 0, asks('a', 80, 80));
      given(book, 1, asks('b', 80, 20));
      expect(book.snapshot(1).isLearning).toBe(false);
      expect(given(book, 2, asks('a', 80, 80))).toBe(50);
    });

    it('does not believe that there was more than there is', () => {
      const book = bookOf({ learningMs: undefined });
      given(book, 0, asks('a', 90, 90));
      expect(given(book, 1, asks('b', 90, 90))).toBeLessThanOrEqual(50);
    });

    it('learns of a client once', () => {
      const book = bookOf({ learningMs: undefined });
      given(book, 0, asks('a', 50, 50));
      given(book, 1, asks('a', 50, 0));
      book.release({ client: 'a', life: 'first' });
      given(book, 2, asks('a', 50, 50));
      expect(given(book, 3, asks('b', 50))).toBe(0);
    });

    it('keeps what an earlier life of a client said', () => {
      const book = bookOf({ learningMs: undefined });
      given(book, 0, asks('a', 60, 60));
      given(book, 1, asks('a', 60, 0, { life: 'second' }));
      given(book, 2, asks('a', 10, 0, { life: 'second' }));
      expect(given(book, 3, asks('b', 60))).toBe(0);
    });
  });

  it('never hands out more than there is, whoever asks in whichever order and whatever is lost', () => {
    const event = fc.record({
      client: fc.nat(4),
      wants: fc.nat(100),
      gapMs: fc.oneof(fc.nat(3_000), fc.constant(40_000)),
      isAnswered: fc.boolean(),
      capacity: fc.option(fc.integer({ min: 20, max: 100 }), { freq: 12 }),
    });
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 80 }),
        fc.constantFrom('fair', 'proportional'),
        (events, algorithm) => {
          const book = bookOf({ algorithm });
          const held = new Map<number, { capacity: number; endsMs: number }>();
          const limits = [{ capacity: 100, untilMs: Number.POSITIVE_INFINITY }];
          let now = 0;
          for (const { client, wants, gapMs, isAnswered, capacity } of events) {
            now += gapMs;
            if (capacity !== null) {
              for (const limit of limits) limit.untilMs = Math.min(limit.untilMs, now + KEPT_MS);
              limits.push({ capacity, untilMs: Number.POSITIVE_INFINITY });
              book.setCapacity(now, capacity);
            }
            const mine = held.get(client);
            const has = mine !== undefined && now < mine.endsMs ? mine.capacity : 0;
            const grant = refresh(book, now, asks(`c${client}`, wants, has));
            if (isAnswered) held.set(client, { capacity: grant.capacity, endsMs: now + grant.validMs });
            const inUse = [...held.values()].filter(({ endsMs }) => now < endsMs);
            const sum = inUse.reduce((total, one) => total + one.capacity, 0);
            const most = Math.max(
              ...limits.filter(({ untilMs }) => now < untilMs).map((one) => one.capacity),
            );
            expect(sum).toBeLessThanOrEqual(most * (1 + 1e-9));
          }
        },
      ),
    );
  });

  it.each(['fair', 'proportional'] as const)('%s: all have their shares after a few rounds', (algorithm) => {
    const book = bookOf({ algorithm, capacity: 120 });
    const wants = [1000, 50, 10];
    const has = [0, 0, 0];
    for (let round = 0; round < 4; round++) {
      for (const [i, want] of wants.entries()) has[i] = given(book, round, asks(`c${i}`, want, has[i]));
    }
    const shares = algorithm === 'fair' ? [60, 50, 10] : [69.690722, 40.309278, 10];
    for (const [i, share] of shares.entries()) expect(has[i]).toBeCloseTo(share, 6);
  });

  it('makes no grant that clients do not believe: they read the longest lease and the most there can be', () => {
    const most = bookOf({ leaseMs: 86_400_000, capacity: 1e15, safeCapacity: 1e15 });
    const grant = refresh(most, 0, asks('a', 1e15));
    expect(readCapacityGrant(grant)).toEqual(grant);
    expect(() => bookOf({ leaseMs: 86_400_001 })).toThrow('leaseMs must be from 1 to 86400000, got 86400001');
    expect(() => bookOf({ capacity: 2e15 })).toThrow('capacity must be from 0 to 1000000000000000');
    expect(() => bookOf({ safeCapacity: 2e15 })).toThrow('safeCapacity must be from 0 to 1000000000000000');
    expect(() => bookOf().setCapacity(0, 2e15)).toThrow('capacity must be from 0 to 1000000000000000');
  });

  it('refuses what cannot be', () => {
    expect(() => new CapacityBook(0, {})).toThrow('capacity must be from 0 to 1000000000000000, got NaN');
    expect(() => bookOf({ safeCapacity: -1 })).toThrow(
      'safeCapacity must be from 0 to 1000000000000000, got -1',
    );
    expect(() => bookOf({ leaseMs: 0 })).toThrow('leaseMs must be from 1 to 86400000, got 0');
    expect(() => bookOf({ refreshMs: 70_000 })).toThrow('refreshMs must be from 1 to 60000, got 70000');
    expect(() => bookOf({ hurryMs: 20_000 })).toThrow('hurryMs must be from 1 to 16000, got 20000');
    expect(() => bookOf({ learningMs: -1 })).toThrow('learningMs must be a finite number >= 0, got -1');
    expect(() => bookOf({ maxClients: 0 })).toThrow('maxClients must be an integer >= 1, got 0');
    expect(() => bookOf({ algorithm: 'learn' as 'fair' })).toThrow('algorithm must be one of static');
    expect(() => bookOf({ lease: 1 } as object)).toThrow('capacity book has no option "lease"');
    expect(() => bookOf().setCapacity(0, -1)).toThrow('capacity must be from 0 to 1000000000000000, got -1');
  });
});
