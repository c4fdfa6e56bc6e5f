import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLeaseLedger } from './create-lease-ledger.js';
import type { LeaseAsk, LeaseGrant, LeaseLedger, LeaseState } from './lease-ledger.js';

const NOTHING: LeaseAsk = {
  holder: 'a',
  turn: 1,
  wants: 0,
  urgent: 0,
  needs: 0,
  holds: 0,
  returns: 0,
  epochMs: 0,
};

/** A ledger with its state, asked by name. */
class Book {
  readonly #ledger: LeaseLedger;
  #turn = 0;
  state: LeaseState | undefined = undefined;

  constructor(ledger: LeaseLedger) {
    this.#ledger = ledger;
  }

  ask(now: number, ask: Partial<LeaseAsk>): LeaseGrant {
    const given = { ...NOTHING, urgent: ask.needs ?? 0, turn: ++this.#turn, ...ask };
    const { grant, state } = this.#ledger.grant(this.state, now, given);
    this.state = state;
    return grant;
  }
}

const bucket = (limit = 1_000, burst = limit, windowMs = 1_000): Book =>
  new Book(createLeaseLedger({ algorithm: 'token-bucket', limit, windowMs, burst }));
const fixedWindow = (limit = 1_000): Book =>
  new Book(createLeaseLedger({ algorithm: 'fixed-window', limit, windowMs: 1_000 }));

describe('leases of any kind', () => {
  it.each([
    ['token-bucket', bucket],
    ['fixed-window', fixedWindow],
  ] as const)(
    'of a %s are a quarter of what is there, or what is wanted, or what is used at once',
    (_, make) => {
      const book = make(1_000);
      expect(book.ask(0, { wants: 10 })).toMatchObject({ granted: 10, remaining: 990 });
      expect(book.ask(0, { wants: 990 })).toMatchObject({ granted: 248, remaining: 742 });
      expect(book.ask(0, { wants: 700, needs: 700 })).toMatchObject({ granted: 700, remaining: 42 });
      expect(book.ask(0, { wants: 50, needs: 43 })).toMatchObject({ granted: 0, remaining: 42 });
      expect(book.ask(0, { wants: 3 })).toMatchObject({ granted: 3 });
      expect(book.ask(0, { wants: 50, urgent: 50, needs: 1 })).toMatchObject({ granted: 39, remaining: 0 });
    },
  );

  it.each(['leaking-bucket', 'sliding-log', 'sliding-counter'] as const)(
    'cannot be had of a %s',
    (algorithm) => {
      expect(() => createLeaseLedger({ algorithm, limit: 1, windowMs: 1_000 })).toThrow(
        'algorithm must be one of token-bucket, gcra, fixed-window to be leased',
      );
    },
  );

  it('say when there is as much as was needed', () => {
    const book = bucket(10);
    book.ask(0, { wants: 10, needs: 10 });
    expect(book.ask(0, { holder: 'b', wants: 3, needs: 3, turn: 1 })).toMatchObject({
      granted: 0,
      retryAfterMs: 300,
    });
    const other = fixedWindow(10);
    other.ask(100, { wants: 10, needs: 10 });
    expect(other.ask(400, { wants: 1 })).toMatchObject({ granted: 0, retryAfterMs: 600 });
    expect(other.ask(1_000, { wants: 1 })).toMatchObject({ granted: 1, epochMs: 1_000, validMs: 1_000 });
  });

  it.each([
    ['token-bucket', bucket],
    ['fixed-window', fixedWindow],
  ] as const)('of a %s say nothing of later to one who got something, or wanted nothing', (_, make) => {
    const book = make(10);
    expect(book.ask(0, { wants: 30, urgent: 30 })).toMatchObject({ granted: 10, retryAfterMs: 0 });
    expect(book.ask(0, { holds: 10 })).toMatchObject({ granted: 0, remaining: 0, retryAfterMs: 0 });
  });
});

describe('a bucket in blocks', () => {
  it('does not fill beyond what is outstanding', () => {
    const book = bucket(1_000);
    book.ask(0, { wants: 400, needs: 400 });
    // A bucket of its own would be full again after 400 ms; so much is still with somebody.
    expect(book.ask(900, { holder: 'b', wants: 1, turn: 1 })).toMatchObject({ remaining: 599 });
    // All but 100 are used: these have been leaking in vain until now, and do from now on.
    expect(book.ask(900, { holds: 100 })).toMatchObject({ remaining: 599 });
    expect(book.ask(1_100, { holds: 100 })).toMatchObject({ remaining: 799 });
  });

  it('gets back what was not used, and nothing that nobody has', () => {
    const book = bucket(1_000);
    book.ask(0, { wants: 400, needs: 400 });
    expect(book.ask(0, { returns: 300 })).toMatchObject({ remaining: 900, granted: 0, retryAfterMs: 0 });
    expect(book.ask(0, { returns: 300 })).toMatchObject({ remaining: 900 });
    expect(book.ask(0, { holder: 'b', returns: 50 })).toMatchObject({ remaining: 900 });
  });

  it('counts as spent what a holder had that was not heard of for a second', () => {
    const book = bucket(1_000);
    book.ask(0, { wants: 1_000, needs: 1_000 });
    expect(book.ask(999, { holder: 'b', wants: 1 })).toMatchObject({ granted: 0 });
    expect(book.ask(1_000, { holder: 'b', wants: 1 })).toMatchObject({ granted: 0 });
    expect(book.state!.holders.size).toBe(0);
    expect(book.ask(1_010, { holder: 'b', wants: 1 })).toMatchObject({ granted: 1, remaining: 9 });
    expect(book.ask(1_010, { returns: 1_000 })).toMatchObject({ remaining: 9 });
  });

  it('does not believe an ask that was overtaken about what is held', () => {
    const book = bucket(1_000);
    book.ask(0, { wants: 100, needs: 100, turn: 5 });
    book.ask(0, { holds: 0, turn: 4 });
    expect(book.state!.holders.get('a')).toMatchObject({ units: 100, turn: 5 });
    book.ask(0, { holds: 10, turn: 6 });
    expect(book.state!.holders.get('a')).toMatchObject({ units: 10, turn: 6 });
    // The same again: it was said before there was what it brought the first time.
    book.ask(0, { wants: 20, holds: 10, turn: 7 });
    book.ask(0, { wants: 20, holds: 10, turn: 7 });
    expect(book.state!.holders.get('a')).toMatchObject({ units: 50, turn: 7 });
  });

  it('reckons exactly at a rate that no double has', () => {
    // 3 in 10 ms.
    const book = bucket(300);
    expect(book.ask(0, { wants: 200, needs: 200 })).toMatchObject({ remaining: 100, resetMs: 667 });
    expect(book.ask(0, { returns: 50, holds: 0 })).toMatchObject({ remaining: 150, resetMs: 500 });
    // 100 ms let 30 of 150 leak.
    expect(book.ask(100, { holder: 'b', wants: 1 })).toMatchObject({ remaining: 179, resetMs: 404 });
    expect(book.ask(100, { holder: 'b', wants: 300, needs: 300 })).toMatchObject({ retryAfterMs: 404 });
  });

  it('lends for its window, for a second at the most', () => {
    const validMs = [100, 60_000].map((windowMs) => bucket(10, 10, windowMs).ask(0, { wants: 1 }).validMs);
    expect(validMs).toEqual([100, 1_000]);
  });

  it('counts time that goes back as none', () => {
    const book = bucket(1_000);
    book.ask(5_000, { wants: 1_000, needs: 1_000 });
    expect(book.ask(1_000, { holder: 'b', wants: 1 })).toMatchObject({ granted: 0 });
    expect(book.state!.ms).toBe(5_000);
  });
});

describe('a window in blocks', () => {
  it('ends blocks with itself, and takes back only its own', () => {
    const book = fixedWindow(1_000);
    expect(book.ask(300, { wants: 100 })).toMatchObject({ granted: 100, validMs: 700, epochMs: 0 });
    expect(book.ask(400, { returns: 40 })).toMatchObject({ remaining: 940, resetMs: 600 });
    expect(book.ask(1_000, { returns: 60, epochMs: 0 })).toMatchObject({ remaining: 1_000, resetMs: 0 });
    book.ask(1_000, { wants: 100, epochMs: 0 });
    expect(book.ask(1_100, { returns: 60, epochMs: 0 })).toMatchObject({ remaining: 900 });
    expect(book.ask(1_100, { returns: 60, epochMs: 1_000 })).toMatchObject({ remaining: 960 });
  });

  it('does not begin anew when time goes back', () => {
    const book = fixedWindow(10);
    book.ask(5_000, { wants: 10, needs: 10 });
    expect(book.ask(4_000, { wants: 1 })).toMatchObject({ granted: 0, retryAfterMs: 2_000 });
  });
});

describe('whatever holders say', () => {
  const ask = fc.record({
    holder: fc.constantFrom('a', 'b', 'c'),
    turn: fc.nat(20),
    wants: fc.nat(40),
    needs: fc.nat(10),
    holds: fc.nat(40),
    returns: fc.nat(40),
    gapMs: fc.nat(300),
  });

  it('no more is outstanding or given out than there is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(ask, { maxLength: 40 }), (limit, asks) => {
        const book = bucket(limit);
        let now = 0;
        for (const { gapMs, ...each } of asks) {
          now += gapMs;
          const { granted, remaining } = book.ask(now, { ...each, wants: Math.max(each.wants, each.needs) });
          expect(granted).toBeLessThanOrEqual(limit);
          expect(remaining).toBeGreaterThanOrEqual(0);
          const held = [...book.state!.holders.values()].reduce((sum, { units }) => sum + units, 0);
          expect(held).toBeLessThanOrEqual(limit - remaining);
        }
      }),
    );
  });
});
