import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RejectedError } from '../../errors.js';
import { LocalityRouter } from './locality-router.js';
import { type LocalityState, noCapacityError } from './locality-snapshot.js';

type Given = Partial<LocalityState>;

function state(name: string, distance: number, given: Given = {}): LocalityState {
  return { name, distance, healthy: 100, total: 100, ...given };
}

/** A datacenter nearby and one far away, 100 backends each. */
function two(near: Given = {}, far: Given = {}): LocalityState[] {
  return [state('near', 0, near), state('far', 1, far)];
}

type Chosen = Record<string, number>;

/** Offers so many requests, evenly over a stretch of time, and counts where they go. */
function offer(router: LocalityRouter, requests: number, fromMs: number, forMs = 1_000): Chosen {
  const chosen: Chosen = { near: 0, far: 0, refused: 0 };
  for (let i = 0; i < requests; i++) {
    const name = router.choose(fromMs + (i * forMs) / requests) ?? 'refused';
    chosen[name] = (chosen[name] ?? 0) + 1;
  }
  return chosen;
}

/** The most that `instants`, in order, hold within any half-open second. */
function busiestSecond(instants: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (let last = 0; last < instants.length; last++) {
    while (instants[first]! <= instants[last]! - 1_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

describe('capacity', () => {
  it('100 backends × 500/s: at most 50,000 in any second, the rest to the next', () => {
    const router = new LocalityRouter({ capacityPerBackend: 500 });
    router.update(two(), 0);
    const sent: Record<string, number[]> = { near: [], far: [] };
    for (let i = 0; i < 240_000; i++) {
      const now = i / 80;
      if (i > 0 && i % 80_000 === 0) router.update(two(), now);
      sent[router.choose(now)!]!.push(now);
    }
    expect(busiestSecond(sent['near']!)).toBeLessThanOrEqual(50_000);
    // The window covers up to 10 ms more than a second, so up to 1 % may stay unused. Nothing else may.
    expect(sent['near']!.length).toBeGreaterThanOrEqual(148_500);
    expect(sent['near']!.length + sent['far']!.length).toBe(240_000);
    // From the second update on it is an even stream, and not 625 ms of all followed by 375 ms of nothing.
    const lastSecond = sent['near']!.filter((now) => now >= 2_000);
    for (let ms = 2_000; ms < 3_000; ms += 100) {
      const inSlice = lastSecond.filter((now) => now >= ms && now < ms + 100).length;
      expect(Math.abs(inSlice - 4_950)).toBeLessThan(10);
    }
  });

  it('never gives way to a burst across the border of a second', () => {
    const burst = fc.record({
      passMs: fc.integer({ min: 0, max: 700 }),
      requests: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(burst, { maxLength: 30 }), (bursts) => {
        const router = new LocalityRouter({ capacityPerBackend: 25 });
        const states = [
          state('near', 0, { healthy: 1, total: 1 }),
          state('far', 1, { healthy: 2, total: 2 }),
        ];
        router.update(states, 0);
        const sent: Record<string, number[]> = { near: [], far: [], refused: [], paced: [] };
        let now = 0;
        let tooMuchSinceMs = Number.POSITIVE_INFINITY;
        for (const { passMs, requests } of bursts) {
          now += passMs;
          router.update(states, now);
          const isTooMuch = router.snapshot(now).refusedShare > 0;
          tooMuchSinceMs = isTooMuch ? Math.min(tooMuchSinceMs, now) : Number.POSITIVE_INFINITY;
          // After two seconds of too much, what becomes free is given out evenly.
          const refused = now - tooMuchSinceMs >= 2_000 ? 'paced' : 'refused';
          for (let i = 0; i < requests; i++) sent[router.choose(now) ?? refused]!.push(now);
        }
        expect(busiestSecond(sent['near']!)).toBeLessThanOrEqual(25);
        expect(busiestSecond(sent['far']!)).toBeLessThanOrEqual(50);
        // Refused only when none can: in the second before (and a slot) both were full.
        const recently = (instants: readonly number[], at: number) =>
          instants.filter((instant) => instant > at - 1_010 && instant <= at).length;
        for (const at of sent['refused']!) {
          expect(recently(sent['near']!, at)).toBeGreaterThanOrEqual(25);
          expect(recently(sent['far']!, at)).toBeGreaterThanOrEqual(50);
        }
      }),
    );
  });

  it('remembers what a locality was sent that leaves the list and comes back', () => {
    const router = new LocalityRouter({ capacityPerBackend: 500 });
    router.update(two(), 0);
    expect(offer(router, 60_000, 0, 100)).toEqual({ near: 50_000, far: 10_000, refused: 0 });
    router.update([], 150);
    router.update([], 200);
    router.update(two(), 250);
    expect(offer(router, 100, 260, 100)).toEqual({ near: 0, far: 100, refused: 0 });
    // After a second nothing is left to remember.
    router.update([], 2_000);
    router.update(two(), 2_001);
    expect(offer(router, 100, 2_010, 100)).toEqual({ near: 100, far: 0, refused: 0 });
  });

  it('both full: refused, and only then', () => {
    const router = new LocalityRouter({ capacityPerBackend: 500 });
    router.update(two(), 0);
    expect(offer(router, 120_000, 0)).toEqual({ near: 50_000, far: 50_000, refused: 20_000 });
    router.update(two(), 1_000);
    expect(router.snapshot(1_000).refusedShare).toBeCloseTo(1 / 6, 1);
    // The shares say to refuse a sixth. But the load has fallen, and there is room.
    expect(offer(router, 90_000, 1_011, 1_000)['refused']).toBe(0);
  });

  it('evens out a rush that lasts: its rhythm does not go on for ever', () => {
    const router = new LocalityRouter({ capacityPerBackend: 500 });
    const far: number[] = [];
    for (let second = 0; second < 6; second++) {
      router.update(two(), second * 1_000);
      for (let i = 0; i < 300_000; i += 10) {
        const now = second * 1_000 + i / 300;
        for (let k = 0; k < 10; k++) if (router.choose(now) === 'far') far.push(now);
      }
    }
    const tenths = Array.from({ length: 10 }, (_, tenth) => {
      const fromMs = 5_000 + tenth * 100;
      return far.filter((now) => now >= fromMs && now < fromMs + 100).length;
    });
    // 5,000 each would be even. In the first second 30,000 came in one tenth, and none in six.
    expect(Math.max(...tenths)).toBeLessThan(9_000);
    expect(tenths.filter((count) => Math.abs(count - 5_000) < 100)).toHaveLength(8);
  });

  it('evens out a small capacity, too: one in a tenth of a second', () => {
    const router = new LocalityRouter({ capacityPerBackend: 10 });
    for (let second = 0; second < 4; second++) {
      router.update([state('near', 0, { healthy: 1, total: 1 })], second * 1_000);
      offer(router, 300, second * 1_000);
    }
    // All of it is free by now.
    const chosen = Array.from({ length: 5 }, () => router.choose(6_000));
    expect(chosen).toEqual(['near', undefined, undefined, undefined, undefined]);
  });

  it('counts retries, and grants them only within the capacity', () => {
    const router = new LocalityRouter({ capacityPerBackend: 2 });
    router.update([state('near', 0, { healthy: 1, total: 1 })], 0);
    expect([router.choose(0), router.tryTake('near', 0)]).toEqual(['near', true]);
    expect([router.choose(1), router.tryTake('near', 1)]).toEqual([undefined, false]);
    expect(router.tryTake('gone', 1)).toBe(false);
    expect(router.tryTake('near', 1_010)).toBe(true);
    expect(router.tryTake('gone', 1_010)).toBe(false);
    // Each by itself: one that is full is not granted what another has left.
    router.update(two({ healthy: 1 }, { healthy: 1 }), 5_000);
    expect([1, 2, 3].map(() => router.tryTake('far', 5_000))).toEqual([true, true, false]);
    expect(router.tryTake('near', 5_000)).toBe(true);
  });

  it('does not hold back a burst that is within the capacity', () => {
    const router = new LocalityRouter({ capacityPerBackend: 10 });
    router.update([state('near', 0, { healthy: 1, total: 1 })], 0);
    expect(Array.from({ length: 11 }, () => router.choose(0))).toEqual([
      ...new Array(10).fill('near'),
      undefined,
    ]);
    expect(router.choose(1_000)).toBeUndefined();
    expect(router.choose(1_010)).toBe('near');
  });

  it('follows the healthy backends', () => {
    const router = new LocalityRouter({ capacityPerBackend: 500 });
    router.update(two(), 0);
    offer(router, 20_000, 0);
    // An outage nearby: everything to the next, up to its capacity.
    router.update(two({ healthy: 0 }), 1_000);
    expect(offer(router, 40_000, 1_000)).toEqual({ near: 0, far: 40_000, refused: 0 });
    router.update(two({ healthy: 0 }), 2_000);
    expect(offer(router, 80_000, 3_000)).toEqual({ near: 0, far: 50_000, refused: 30_000 });
    // It is back.
    router.update(two(), 5_000);
    expect(offer(router, 40_000, 5_000)).toEqual({ near: 40_000, far: 0, refused: 0 });
  });

  it('may be this router’s part of the whole, and differ between localities', () => {
    const router = new LocalityRouter({ capacityPerBackend: 500, capacityShare: 0.1 });
    router.update(two({ capacityPerBackend: 200 }), 0);
    expect(offer(router, 10_000, 0, 0)).toEqual({ near: 2_000, far: 5_000, refused: 3_000 });
  });

  it('is unlimited when nothing is known about it', () => {
    const router = new LocalityRouter();
    router.update(two(), 0);
    expect(offer(router, 100_000, 0, 0)).toEqual({ near: 100_000, far: 0, refused: 0 });
    expect(router.snapshot(0).localities[0]!.capacityPerSecond).toBeUndefined();
    router.update(two({ healthy: 0 }, { weight: 0 }), 1_000);
    expect(router.choose(1_000)).toBeUndefined();
    expect(router.snapshot(1_000).localities.map((one) => one.capacityPerSecond)).toEqual([0, 0]);
  });
});

describe('shares', () => {
  it('follow the health of each level', () => {
    const router = new LocalityRouter();
    router.update(two({ healthy: 50 }), 0);
    expect(offer(router, 1_000, 0)).toEqual({ near: 700, far: 300, refused: 0 });
    const strict = new LocalityRouter({ overprovisioning: 1 });
    strict.update(two({ healthy: 50 }), 0);
    expect(offer(strict, 1_000, 0)).toEqual({ near: 500, far: 500, refused: 0 });
  });

  it('are dealt out evenly, never more than a request or two from exact', () => {
    const router = new LocalityRouter();
    router.update(
      [state('a', 0, { weight: 1 }), state('b', 0, { weight: 2 }), state('c', 0, { weight: 4 })],
      0,
    );
    const chosen: Chosen = { a: 0, b: 0, c: 0 };
    for (let i = 1; i <= 700; i++) {
      chosen[router.choose(i)!]!++;
      expect(Math.abs(chosen['a']! - i / 7)).toBeLessThan(1.5);
      expect(Math.abs(chosen['b']! - (2 * i) / 7)).toBeLessThan(1.5);
      expect(Math.abs(chosen['c']! - (4 * i) / 7)).toBeLessThan(1.5);
    }
    expect(chosen).toEqual({ a: 100, b: 200, c: 400 });
  });

  it('are dealt out over updates too: 2 requests a second still reach a share of 3 %', () => {
    const router = new LocalityRouter();
    const chosen: Chosen = { near: 0, far: 0 };
    for (let second = 0; second < 500; second++) {
      router.update(two({ healthy: 69, total: 100 }), second * 1_000); // 0.966
      for (const ms of [0, 500]) chosen[router.choose(second * 1_000 + ms)!]!++;
    }
    expect(chosen).toEqual({ near: 966, far: 34 });
  });

  it('that end, end at once: nothing saved up is spent later', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(weights, fc.nat({ max: 40 }), (given, requests) => {
        const router = new LocalityRouter();
        router.update(
          given.map((weight, index) => state(`${index}`, 0, { weight })),
          0,
        );
        offer(router, requests, 0);
        router.update(
          given.map((_, index) => state(`${index}`, index)),
          1_000,
        );
        expect(offer(router, 5, 1_000)['0']).toBe(5);
      }),
      { numRuns: 1_000 },
    );
  });

  it('that end leave no debt: with room for all, no one is refused for what others took away', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(weights, fc.nat({ max: 40 }), (given, requests) => {
        const router = new LocalityRouter();
        router.update(
          given.map((weight, index) => state(`${index}`, 0, { weight })),
          0,
        );
        offer(router, requests, 0);
        // Two stay, too busy for all of the traffic each (0.78 of it fits), not for all of it together.
        router.update(two({ name: '0', utilization: 1.2 }, { name: '1', utilization: 1.2 }), 3_000);
        expect(offer(router, 5, 3_000)['refused']).toBe(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it('spill to a sibling at the same distance before they spill farther', () => {
    const router = new LocalityRouter();
    const states = (utilization: number) => [
      state('far', 1, { utilization: 0.2 }),
      state('busy', 0, { utilization }),
      state('idle', 0, { utilization: 0.3 }),
    ];
    router.update(states(0.5), 0);
    offer(router, 1_000, 0);
    router.update(states(2.0), 1_000);
    const chosen = offer(router, 1_000, 1_000);
    expect(chosen['far']).toBe(0);
    // From the half it had: a ratio of 0.45, and half of the way down to it.
    expect(Math.abs(chosen['busy']! - 500 * Math.sqrt(0.45))).toBeLessThan(2);
    expect(chosen['idle']).toBe(1_000 - chosen['busy']!);
  });
});

/**
 * A closed loop: two datacenters that serve 50,000 requests a second each (times `scale`) while a request costs 1.
 * Their utilization over each second is reported to the router `lag` seconds later.
 */
function closedLoop(options: {
  readonly seconds: number;
  readonly offeredAt: (second: number) => number;
  readonly costAt: (second: number) => number;
  readonly scale?: number;
  readonly lag?: number;
  /** What utilization cannot rise above, as that of a CPU. */
  readonly ceiling?: number;
  readonly routers?: number;
}) {
  const { seconds, offeredAt, costAt, scale = 1, lag = 0, routers: count = 1 } = options;
  const made = { capacityPerBackend: 500 * scale, capacityShare: 1 / count };
  const routers = Array.from({ length: count }, () => new LocalityRouter(made));
  const reports: LocalityState[][] = [];
  const rows: { near: number; far: number; sentFar: number; refused: number }[] = [];
  for (const router of routers) router.update(two(), 0);
  for (let second = 0; second < seconds; second++) {
    const sums = { near: 0, far: 0, refused: 0 };
    for (const router of routers) {
      const chosen = offer(router, (offeredAt(second) * scale) / count, second * 1_000);
      for (const name of ['near', 'far', 'refused'] as const) sums[name] += chosen[name]!;
    }
    const used = (sent: number) => (sent * costAt(second)) / (50_000 * scale);
    const told = (sent: number) => ({ utilization: Math.min(options.ceiling ?? 1_000, used(sent)) });
    rows.push({ near: used(sums.near), far: used(sums.far), sentFar: sums.far, refused: sums.refused });
    reports.push(two(told(sums.near), told(sums.far)));
    for (const router of routers) router.update(reports[second - lag] ?? two(), (second + 1) * 1_000);
  }
  return rows;
}

/** The first second from which on it holds to the end. */
function settledAt<T>(rows: readonly T[], holds: (row: T) => boolean): number {
  return rows.findLastIndex((row) => !holds(row)) + 1;
}

describe('utilization', () => {
  const dearerAt5 = (second: number) => (second < 5 ? 1 : 2);

  it('keeps everything near while the nearest is not too busy', () => {
    const rows = closedLoop({ seconds: 5, offeredAt: () => 40_000, costAt: () => 1 });
    for (const row of rows) expect(row).toEqual({ near: 0.8, far: 0, sentFar: 0, refused: 0 });
  });

  it.each([
    // Seconds that a report is old; seconds until utilization stays below 1 after cost doubled; the least seen then.
    [0, 3, 0.89],
    [1, 3, 0.77],
    [2, 4, 0.58],
  ])(
    'requests get dearer, reports %i s late: below 1 after %i s, and what is too much spills',
    (lag, within, least) => {
      const offeredAt = (second: number) => (second < 35 ? 40_000 : 20_000);
      const rows = closedLoop({ seconds: 45, lag, offeredAt, costAt: dearerAt5 });
      const dear = rows.slice(5, 35);
      expect(dear[0]!.near).toBe(1.6);
      expect(settledAt(dear, (row) => row.near < 1)).toBeLessThanOrEqual(within);
      expect(Math.min(...dear.slice(within).map((row) => row.near))).toBeGreaterThan(least);
      // 25,000/s is what the nearest can serve now, 22,500/s its target. It rests there: no swinging.
      for (const row of dear.slice(-3)) {
        expect(row.near).toBeGreaterThan(0.89);
        expect(row.near).toBeLessThan(0.91);
        expect(row.near + row.far).toBeCloseTo(1.6, 3);
        expect(row.refused).toBe(0);
      }
      // The load falls by half, to 0.8 of what the nearest can serve: within 7 s all is back.
      const relieved = rows.slice(35);
      expect(relieved[0]!.sentFar).toBeGreaterThan(8_000);
      expect(settledAt(relieved, (row) => row.sentFar === 0)).toBeLessThanOrEqual(7);
    },
  );

  it('sees only 1 of a CPU at its limit, and gets there all the same: 5 % a second', () => {
    const rows = closedLoop({
      seconds: 25,
      scale: 0.1,
      ceiling: 1,
      offeredAt: () => 40_000,
      costAt: dearerAt5,
    });
    expect(settledAt(rows, (row) => row.near < 1)).toBe(5 + 9);
    expect(rows[24]!.near).toBeCloseTo(0.9, 2);
  });

  it.each([Number.POSITIVE_INFINITY, 1])(
    'more than all can serve, utilization reported up to %d at most: half of the reserve is used, the rest refused',
    (ceiling) => {
      const costAt = (second: number) => (second < 1 ? 1 : 2);
      const rows = closedLoop({ seconds: 36, scale: 0.1, ceiling, offeredAt: () => 80_000, costAt });
      const { near, far, refused } = rows[35]!;
      expect(near).toBeCloseTo(0.95, 2);
      expect(far).toBeCloseTo(0.95, 2);
      expect(refused).toBeGreaterThan(3_200);
    },
  );

  it('many routers that each own a part come to rest where one would', () => {
    const rows = closedLoop({
      seconds: 30,
      scale: 0.1,
      lag: 1,
      routers: 10,
      offeredAt: () => 40_000,
      costAt: dearerAt5,
    });
    for (const row of rows.slice(22)) expect(row.near).toBeCloseTo(0.9, 2);
  });

  it('does not send much where others have filled it already', () => {
    const router = new LocalityRouter();
    const states = two({ utilization: 1.8 }, { utilization: 1.2 });
    for (let second = 0; second < 10; second++) {
      router.update(states, second * 1_000);
      offer(router, 1_000, second * 1_000);
    }
    const [near, far] = router.snapshot(10_000).localities;
    expect(near!.allowance).toBeLessThan(0.2);
    expect(far!.allowance).toBeLessThan(0.4);
    // Still never nothing: a locality that is not sent to would not be heard of.
    expect(near!.allowance).toBeGreaterThanOrEqual(0.03);
    expect(offer(router, 1_000, 10_000)['near']).toBeGreaterThanOrEqual(30);
  });

  it('is forgotten after an idle hour', () => {
    const router = new LocalityRouter();
    router.update(two({ utilization: 3 }), 0);
    offer(router, 1_000, 0);
    router.update(two({ utilization: 3 }), 1_000);
    expect(router.snapshot(1_000).localities[0]!.allowance).toBeLessThan(0.5);
    router.update(two({ utilization: 0 }), 3_600_000);
    expect(router.snapshot(3_600_000)).toMatchObject({
      offeredPerSecond: 0,
      localities: [{ allowance: 1 }, {}],
    });
  });
});

describe('when all are at their target', () => {
  it('half of the reserve is shared out too, and the rest is refused evenly', () => {
    const router = new LocalityRouter();
    // 2 is what 1 of the traffic makes: 0.45 fits, 0.475 is half-way to full.
    router.update(two({ utilization: 2 }, { utilization: 2 }), 0);
    const { localities, refusedShare } = router.snapshot(0);
    expect(localities.map(({ allowance }) => allowance)).toEqual([0.45, 0.45]);
    expect(localities[0]!.share).toBeCloseTo(0.475, 12);
    expect(localities[1]!.share).toBeCloseTo(0.475, 12);
    expect(refusedShare).toBeCloseTo(0.05, 12);
    const { near, far, refused } = offer(router, 1_000, 0);
    expect(Math.abs(near! - 475)).toBeLessThanOrEqual(1);
    expect(Math.abs(far! - 475)).toBeLessThanOrEqual(1);
    expect(Math.abs(refused! - 50)).toBeLessThanOrEqual(1);
  });

  it('refuses its part of a few requests, too', () => {
    const router = new LocalityRouter();
    router.update(two({ utilization: 2 }, { utilization: 2 }), 0);
    const { refused } = offer(router, 100, 0, 50_000);
    expect(Math.abs(refused! - 5)).toBeLessThanOrEqual(1);
  });
});

describe('update', () => {
  it('takes localities in any order', () => {
    const router = new LocalityRouter({ capacityPerBackend: 1 });
    router.update([state('far', 9), state('next', 2), state('near', 1)], 0);
    expect(offer(router, 250, 0, 0)).toEqual({ near: 100, next: 100, far: 50, refused: 0 });
    expect(router.snapshot(0).localities.map(({ name }) => name)).toEqual(['near', 'next', 'far']);
  });

  it('keeps what was learned about those that stay', () => {
    const router = new LocalityRouter({ capacityPerBackend: 1 });
    router.update(two({ utilization: 1.8 }), 0);
    const { allowance } = router.snapshot(0).localities[0]!;
    expect(allowance).toBeCloseTo(0.5, 12);
    offer(router, 150, 0, 0);
    router.update([...two(), state('new', 2)], 10);
    const [near, far, added] = router.snapshot(10).localities;
    expect(near).toMatchObject({ allowance, sentPerSecond: 75 });
    expect(far).toMatchObject({ allowance: 1, sentPerSecond: 75 });
    expect(added).toMatchObject({ allowance: 1, sentPerSecond: 0 });
    router.update([state('new', 2)], 20);
    expect(router.choose(20)).toBe('new');
  });

  it('forgets one that was gone for more than a second', () => {
    const router = new LocalityRouter();
    router.update(two({ utilization: 1.8 }), 0);
    offer(router, 100, 0);
    router.update([], 1_000);
    router.update(two(), 1_500);
    expect(router.snapshot(1_500).localities[0]!.allowance).toBeCloseTo(0.5, 12);
    router.update([], 2_000);
    router.update(two(), 3_500);
    expect(router.snapshot(3_500).localities[0]!.allowance).toBe(1);
  });

  it('without any locality leaves nothing to choose, and that leaves no debt behind', () => {
    const router = new LocalityRouter({ capacityPerBackend: 1 });
    expect(offer(router, 1_000, 0)['refused']).toBe(1_000);
    const states = two({ utilization: 3 }, { utilization: 3 });
    router.update(states, 1_000);
    // A third of the traffic fits each, with half of the reserve 0.317; the rest is refused, from the start.
    const refused = offer(router, 100, 1_000)['refused']!;
    expect(refused).toBeGreaterThan(30);
    expect(refused).toBeLessThan(40);
  });

  it('refuses impossible states, and changes nothing', () => {
    const router = new LocalityRouter();
    router.update(two(), 0);
    const update =
      (...states: LocalityState[]) =>
      () =>
        router.update(states, 1_000);
    expect(update(state('a', 0), state('a', 1))).toThrow(
      new RangeError('localities must be distinct, got a twice'),
    );
    expect(update(state('a', 0, { utilization: -1 }))).toThrow(
      'utilization must be a finite number >= 0, got -1',
    );
    expect(update(state('a', 0, { healthy: 101 }))).toThrow(
      'healthy must be an integer from 0 to 100, got 101',
    );
    expect(update(state('a', 0, { capacityPerBackend: 0 }))).toThrow(
      'capacityPerBackend must be a finite number > 0, got 0',
    );
    expect(router.snapshot(0).localities.map(({ name }) => name)).toEqual(['near', 'far']);
  });
});

describe('options', () => {
  it('that are impossible are refused by name', () => {
    const made = (options: ConstructorParameters<typeof LocalityRouter>[0]) => () =>
      new LocalityRouter(options);
    expect(made({ capacityPerBackend: -1 })).toThrow(
      new RangeError('capacityPerBackend must be a finite number > 0, got -1'),
    );
    expect(made({ capacity: 1 } as object)).toThrow('localityRouter has no option "capacity"');
    expect(made({ capacityShare: 0 })).toThrow('capacityShare must be a finite number > 0, got 0');
    expect(made({ capacityShare: 1.5 })).toThrow('capacityShare must be from 0 to 1, got 1.5');
    expect(made({ targetUtilization: 1.2 })).toThrow('targetUtilization must be from 0 to 1, got 1.2');
    expect(made({ probeShare: 0 })).toThrow('probeShare must be a finite number > 0, got 0');
    expect(made({ fallMs: 0 })).toThrow('fallMs must be a finite number > 0, got 0');
    expect(made({ growMs: 0 })).toThrow('growMs must be a finite number > 0, got 0');
    expect(made({ overprovisioning: 0 })).toThrow('overprovisioning must be a finite number > 0, got 0');
  });
});

describe('noCapacityError', () => {
  it('names each locality and its state', () => {
    const router = new LocalityRouter({ capacityPerBackend: 2 });
    router.update([state('eu', 0, { healthy: 1, utilization: 0.974 }), state('us', 1, { healthy: 0 })], 0);
    offer(router, 2, 0);
    expect(router.choose(0)).toBeUndefined();
    const error = noCapacityError(router.snapshot(0));
    expect(error).toBeInstanceOf(RejectedError);
    expect(error).toMatchObject({ code: 'PLIMSOLL_NO_CAPACITY', retry: 'later' });
    expect(error.message).toBe(
      'no locality has room: eu (1 of 100 healthy, sent 2 of 2/s, utilization 0.97), ' +
        'us (0 of 100 healthy, sent 0 of 0/s, utilization unknown)',
    );
  });

  it('says so when there is none, or no cap', () => {
    const router = new LocalityRouter();
    expect(noCapacityError(router.snapshot(0)).message).toBe('no locality is known');
    router.update([state('eu', 0)], 0);
    expect(noCapacityError(router.snapshot(0)).message).toContain('sent 0 of unlimited/s');
  });
});
