import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CapacityBook } from './capacity-book.js';
import { CapacityLimiter, type CapacityLimiterOptions } from './capacity-limiter.js';
import type { CapacityGrant } from './capacity-messages.js';

const GRANT: CapacityGrant = {
  capacity: 100,
  validMs: 10_000,
  refreshMs: 3_000,
  safeCapacity: 0,
  inherited: undefined,
};

function limiterOf(given: Partial<CapacityLimiterOptions> = {}): CapacityLimiter {
  return new CapacityLimiter(0, { client: 'a', life: 'x' }, () => 0, given);
}

function grant(limiter: CapacityLimiter, now: number, more: Partial<CapacityGrant> = {}): void {
  expect(limiter.granted(now, limiter.ask(now).turn, { ...GRANT, ...more })).toBe(true);
}

/** How many of one unit pass at once. */
function burst(limiter: CapacityLimiter, now: number): number {
  let passed = 0;
  while (limiter.take(now).allowed) passed++;
  return passed;
}

describe('CapacityLimiter', () => {
  it('lets nothing pass without a lease, and asks for one', () => {
    const limiter = limiterOf();
    limiter.failed(0, limiter.ask(0).turn);
    expect(limiter.askAtMs).toBe(1_000);
    expect(limiter.take(500)).toEqual({ allowed: false, retryAfterMs: 1_000 });
    expect(limiter.take(500, 0)).toEqual({ allowed: true, retryAfterMs: 0 });
    expect(limiter.capacity(500)).toBe(0);
    grant(limiter, 1_000, { capacity: 0 });
    limiter.take(1_500);
    expect(limiter.askAtMs).toBe(2_000);
    expect(limiter.ask(2_000).bands).toEqual([{ priority: 0, wants: expect.closeTo(1.3, 0), subclients: 1 }]);
  });

  it('passes its capacity, and a tenth of a second of it at once', () => {
    const limiter = limiterOf();
    grant(limiter, 0);
    expect(burst(limiter, 0)).toBe(0);
    expect(burst(limiter, 50)).toBe(5);
    expect(limiter.take(50)).toEqual({ allowed: false, retryAfterMs: 10 });
    expect(limiter.take(59).allowed).toBe(false);
    expect(limiter.take(60).allowed).toBe(true);
    expect(burst(limiter, 5_000)).toBe(10);
    // A clock that stands still earns nothing.
    expect(limiter.take(4_000).allowed).toBe(false);
    expect(limiter.take(5_000).allowed).toBe(false);
  });

  it('lets what costs more than a burst pass when that is full, and the others wait for it', () => {
    const limiter = limiterOf();
    grant(limiter, 0);
    expect(limiter.take(99, 50)).toEqual({ allowed: false, retryAfterMs: 1 });
    expect(limiter.take(100, 50).allowed).toBe(true);
    expect(limiter.take(100)).toEqual({ allowed: false, retryAfterMs: 410 });
    expect(limiter.take(510).allowed).toBe(true);
  });

  it('lets single units pass at any rate', () => {
    const limiter = limiterOf();
    grant(limiter, 0, { capacity: 0.5 });
    expect(limiter.take(1_000)).toEqual({ allowed: false, retryAfterMs: 1_000 });
    expect(limiter.take(2_000).allowed).toBe(true);
    grant(limiter, 2_000, { capacity: 1e-9 });
    expect(limiter.take(2_000).retryAfterMs).toBe(60_000);
  });

  it('lets nothing pass of what it saved up when the lease has ended', () => {
    const limiter = limiterOf();
    grant(limiter, 0);
    expect(limiter.take(9_999).allowed).toBe(true);
    expect(limiter.take(10_000)).toEqual({ allowed: false, retryAfterMs: 1_000 });
  });

  it('goes on with the safe capacity when the lease has ended, from that instant', () => {
    const limiter = limiterOf({ burstMs: 60_000 });
    grant(limiter, 0, { capacity: 100, safeCapacity: 10 });
    burst(limiter, 9_000);
    expect(limiter.capacity(10_000)).toBe(10);
    // 1 s of 100 and 1 s of 10.
    expect(burst(limiter, 11_000)).toBe(110);
    expect(burst(limiter, 12_000)).toBe(10);
    grant(limiter, 13_000, { capacity: 100 });
    expect(burst(limiter, 13_000)).toBe(10);
    expect(limiter.release()).toEqual({ client: 'a', life: 'x' });
    expect(burst(limiter, 20_000)).toBe(0);
  });

  it('never passes more than its capacity over any time, a burst and one request', () => {
    const step = fc.record({
      gapMs: fc.nat(400),
      cost: fc.nat(30),
      capacity: fc.option(fc.nat(200), { freq: 4 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const limiter = limiterOf();
        let [now, may, capacity, endsMs, passed] = [0, 0, 0, 0, 0];
        for (const next of steps) {
          may += (capacity * Math.max(0, Math.min(now + next.gapMs, endsMs) - Math.min(now, endsMs))) / 1_000;
          now += next.gapMs;
          if (next.capacity !== null) {
            capacity = next.capacity;
            endsMs = now + 1_000;
            grant(limiter, now, { capacity, validMs: 1_000 });
          }
          if (limiter.take(now, next.cost).allowed) passed += next.cost;
          expect(passed).toBeLessThanOrEqual(may + 30 + 1e-6);
        }
      }),
    );
  });

  it('counts a request that comes again once', () => {
    const limiter = limiterOf();
    for (let ms = 0; ms < 1_000; ms += 10) limiter.take(ms, 1, ms === 0);
    expect(limiter.wants(1_000)).toBeLessThan(1);
  });

  it('asks for what it is set to have at hand, at its priority', () => {
    const limiter = limiterOf({ leastWants: 7, priority: 3 });
    expect(limiter.ask(0).bands).toEqual([{ priority: 3, wants: 7, subclients: 1 }]);
  });

  it('settles at what its callers ask for, of a capacity that others leave', () => {
    const book = new CapacityBook(0, { capacity: 100, learningMs: 0 });
    const rates = [20, 300];
    const limiters = rates.map((_, i) => new CapacityLimiter(0, { client: `c${i}`, life: 'x' }, () => 0.5));
    const passed = [0, 0];
    for (let ms = 0; ms < 120_000; ms++) {
      for (const [i, limiter] of limiters.entries()) {
        if (limiter.askAtMs <= ms) {
          const ask = limiter.ask(ms);
          limiter.granted(ms, ask.turn, book.refresh(ms, ask)!);
        }
        const isDue = Math.floor((ms * rates[i]!) / 1_000) > Math.floor(((ms - 1) * rates[i]!) / 1_000);
        if (isDue && limiter.take(ms).allowed && ms >= 60_000) passed[i]!++;
      }
    }
    expect(passed[0]! / 60).toBeCloseTo(20, 0);
    expect(passed[1]! / 60).toBeGreaterThan(72);
    expect((passed[0]! + passed[1]!) / 60).toBeLessThanOrEqual(100.5);
  });

  it('refuses what cannot be', () => {
    expect(() => limiterOf({ burstMs: 0 })).toThrow('burstMs must be a finite number > 0, got 0');
    expect(() => limiterOf({ priority: 10 })).toThrow('priority must be an integer from 0 to 9, got 10');
    expect(() => limiterOf({ leastWants: -1 })).toThrow(
      'leastWants must be from 0 to 1000000000000000, got -1',
    );
    expect(() => limiterOf({ leastWants: 2e15 })).toThrow('leastWants must be from 0 to 1000000000000000');
    expect(() => limiterOf({ burst: 1 } as object)).toThrow('capacity limiter has no option "burst"');
    expect(() => limiterOf().take(0, -1)).toThrow('cost must be a finite number >= 0, got -1');
  });
});
