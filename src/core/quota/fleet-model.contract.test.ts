import { describe, expect, it } from 'vitest';
import { evenly, type FleetModel, type FleetStream, runFleet, unevenly } from './fleet-model.contract.js';
import type { QuotaStage } from './quota-member.js';
import { meanOf, type Second } from './quota-model.contract.js';

const BACKENDS = 50;
const STEP_MS = 5_000;
const SPREADS: Record<string, readonly number[]> = {
  even: evenly(BACKENDS),
  'spread 100:1': unevenly(BACKENDS, 100),
};

/** One goes from 0.8 times its limit to so many times, two others stay at 0.8 and 0.9 times of theirs. */
function fleet(
  limit: number,
  times: number,
  parts: readonly number[],
  given: Partial<FleetModel> = {},
  stepMs = STEP_MS,
): FleetModel {
  const stream = (customer: string, rate: FleetStream['rate']): FleetStream => {
    return { customer, criticality: 'CRITICAL', rate, parts };
  };
  return {
    limits: { everyoneElse: { perSecond: limit } },
    seconds: 16,
    streams: [
      stream('offender', (now) => limit * (now < stepMs ? 0.8 : times)),
      stream('modest', () => limit * 0.8),
      stream('close', () => limit * 0.9),
    ],
    ...given,
  };
}

function refusedOf(tally: readonly Second[]): number {
  return tally.reduce((sum, { refused }) => sum + refused, 0);
}

// Minutes of fifty backends each: a second on a machine that has nothing else to do.
describe('a fleet with quotas', { timeout: 60_000 }, () => {
  it.each(Object.keys(SPREADS))('holds a customer at 20 times its limit to it within 2 s, %s', (spread) => {
    const limit = 1_000;
    const [offender, modest, close] = runFleet(fleet(limit, 20, SPREADS[spread]!));
    expect(Math.abs(meanOf(offender!, 'used', 7) / limit - 1)).toBeLessThan(0.02);
    for (let from = 7; from + 3 <= 16; from++)
      expect(Math.abs(meanOf(offender!, 'used', from, from + 3) / limit - 1)).toBeLessThan(0.03);
    // It takes 0.6 s until the first levels are there.
    expect(meanOf(offender!, 'used', 5, 6) / limit).toBeLessThan(20 * 0.65);
    expect([refusedOf(modest!), refusedOf(close!)]).toEqual([0, 0]);
  });

  // Each is ten seconds' worth.
  it.each([1, 8])('holds it where a request costs many seconds of its limit, %s backends', (backends) => {
    const limit = 0.1;
    const stream: FleetStream = {
      customer: 'coarse',
      criticality: 'CRITICAL',
      rate: () => 10 * limit,
      parts: evenly(backends),
    };
    const model = { limits: { everyoneElse: { perSecond: limit } }, streams: [stream], seconds: 400 };
    const [coarse] = runFleet(model);
    expect(meanOf(coarse!, 'used', 30) / limit).toBeLessThan(1.1);
    expect(meanOf(coarse!, 'used', 30) / limit).toBeGreaterThan(0.7);
  });

  // A level of half a request a second at each backend.
  it.each(Object.keys(SPREADS))(
    'holds it where its part at a backend is less than a request, %s',
    (spread) => {
      const limit = 25;
      const model = fleet(limit, 20, SPREADS[spread]!, { seconds: 47 });
      const [offender, modest, close] = runFleet(model);
      expect(Math.abs(meanOf(offender!, 'used', 7) / limit - 1)).toBeLessThan(0.03);
      expect([refusedOf(modest!), refusedOf(close!)]).toEqual([0, 0]);
    },
  );

  it.each([0, 50, 100, 150, 180, 200, 215, 235, 245])(
    'does not make it pay for levels that were made when half of it was not reported yet: %d ms after a division',
    (afterMs) => {
      for (const parts of Object.values(SPREADS)) {
        for (let seed = 1; seed <= 4; seed++) {
          const [offender] = runFleet(fleet(1_000, 20, parts, { seed, seconds: 12 }, STEP_MS + afterMs));
          expect(Math.abs(meanOf(offender!, 'used', 7) / 1_000 - 1)).toBeLessThan(0.02);
        }
      }
    },
  );

  it('holds one that is a little over its limit', () => {
    const [offender] = runFleet(fleet(200, 1.3, SPREADS['spread 100:1']!, { seconds: 40 }));
    expect(Math.abs(meanOf(offender!, 'used', 15) / 200 - 1)).toBeLessThan(0.03);
  });

  it('refuses the least critical first, at no backend a critical one', () => {
    const parts = SPREADS['spread 100:1']!;
    const sheddable = {
      customer: 'a',
      criticality: 'SHEDDABLE',
      rate: () => 1_000,
      parts: parts.toReversed(),
    } as const;
    const critical = { customer: 'a', criticality: 'CRITICAL', rate: () => 150, parts } as const;
    const [low, high] = runFleet(fleet(200, 0, parts, { streams: [sheddable, critical], seconds: 20 }));
    expect(refusedOf(high!)).toBe(0);
    expect(Math.abs(meanOf(low!, 'used', 5) + meanOf(high!, 'used', 5) - 200)).toBeLessThan(6);
  });

  it('goes on without a coordinator, then with equal parts, then with the next one', () => {
    const limit = 500;
    const stages = new Map<number, Set<QuotaStage>>();
    const model = fleet(limit, 4, SPREADS['even']!, {
      seconds: 36,
      member: { holdMs: 10_000 },
      isCoordinated: (now) => now < 9_900 || now >= 25_000,
      onTick: (members, _, now) => stages.set(now, new Set(members.map(({ stage }) => stage))),
    });
    const [offender, modest, close] = runFleet(model);
    const stageAt = (now: number) => [...stages.get(now)!];
    expect([9_000, 15_000, 22_000, 30_000].map(stageAt)).toEqual([
      ['fresh'],
      ['holding'],
      ['safe'],
      ['fresh'],
    ]);
    // While levels hold; with its part as last known; with equal ones.
    expect(Math.abs(meanOf(offender!, 'used', 8, 13) / limit - 1)).toBeLessThan(0.07);
    expect(Math.abs(meanOf(offender!, 'used', 13, 20) / limit - 1)).toBeLessThan(0.12);
    expect(Math.abs(meanOf(offender!, 'used', 20, 25) / limit - 1)).toBeLessThan(0.12);
    // No stampede: the next one knows whom the others held.
    for (let second = 29; second < 36; second++)
      expect(Math.abs(meanOf(offender!, 'used', second, second + 1) / limit - 1)).toBeLessThan(0.15);
    expect(Math.abs(meanOf(offender!, 'used', 29) / limit - 1)).toBeLessThan(0.03);
    // Within their parts of 10 requests a second and less, with what they have saved up.
    expect([refusedOf(modest!), refusedOf(close!)]).toEqual([0, 0]);
  });

  it('is taken over within a term’s learning without anybody noticing', () => {
    const limit = 500;
    const model = fleet(limit, 10, SPREADS['spread 100:1']!, {
      seconds: 18,
      isCoordinated: (now) => now < 9_900 || now >= 11_400,
    });
    const [offender, modest, close] = runFleet(model);
    for (let from = 8; from + 2 <= 18; from++)
      expect(Math.abs(meanOf(offender!, 'used', from, from + 2) / limit - 1)).toBeLessThan(0.05);
    expect([refusedOf(modest!), refusedOf(close!)]).toEqual([0, 0]);
  });

  // 0.4 requests a second.
  it('refuses hardly anybody while nobody coordinates where parts are less than a request', () => {
    const limit = 20;
    const model = fleet(limit, 0.8, SPREADS['even']!, {
      seconds: 65,
      isCoordinated: (now) => now < 20_000,
    });
    const [, modest] = runFleet(model);
    const [holding, safe] = [modest!.slice(23, 50), modest!.slice(50)];
    expect(refusedOf(modest!.slice(0, 23))).toBe(0);
    for (const stretch of [holding, safe]) {
      const arrived = stretch.reduce((sum, second) => sum + second.arrived, 0);
      expect(refusedOf(stretch) / arrived).toBeLessThan(0.03);
    }
  });

  it('refuses nobody while quotas are suspended, and nobody owes for it later', () => {
    const limit = 500;
    const parts = SPREADS['even']!;
    // Far over its limit while there is spare capacity, and within it before that ends.
    const past = { customer: 'past', criticality: 'CRITICAL', parts } as const;
    const model = fleet(limit, 10, parts, { seconds: 16, isSuspended: (now) => now < 10_000 });
    const streams = [...model.streams, { ...past, rate: (now: number) => limit * (now < 7_000 ? 10 : 0.8) }];
    const [offender, modest, , reformed] = runFleet({ ...model, streams });
    expect(refusedOf(offender!.slice(0, 10))).toBe(0);
    expect(Math.abs(meanOf(offender!, 'used', 12) / limit - 1)).toBeLessThan(0.03);
    expect([refusedOf(modest!), refusedOf(reformed!)]).toEqual([0, 0]);
  });

  it('finds one that is small at each backend, among many strangers', () => {
    const parts = SPREADS['even']!;
    const stranger = (index: number): FleetStream => ({
      customer: `stranger-${index}`,
      criticality: 'CRITICAL',
      rate: () => 1,
      // Each is at one backend.
      parts: parts.map((_, backend) => (backend === index % BACKENDS ? 1 : 0)),
    });
    // 20 strangers at a backend, rows for 10 of them: 1 a second each, and the offender 3 a second.
    const strangers = Array.from({ length: 20 * BACKENDS }, (_, index) => stranger(index));
    const offender: FleetStream = { customer: 'offender', criticality: 'CRITICAL', rate: () => 150, parts };
    const [tally, ...others] = runFleet({
      limits: { everyoneElse: { perSecond: 50 } },
      streams: [offender, ...strangers],
      seconds: 14,
      member: { maxReported: 10 },
    });
    expect(Math.abs(meanOf(tally!, 'used', 8) / 50 - 1)).toBeLessThan(0.1);
    expect(others.reduce((sum, each) => sum + refusedOf(each), 0)).toBe(0);
  });

  describe('does not forget what was used beyond a limit', () => {
    const limit = 200;
    const parts = SPREADS['even']!;
    const [one, others] = [
      parts.map((_, at) => (at === 0 ? 1 : 0)),
      parts.map((_, at) => (at === 0 ? 0 : 1 / 49)),
    ];
    const usedOf = (streams: readonly FleetStream[]) => {
      const tallies = runFleet(fleet(limit, 0, parts, { streams, seconds: 30 }));
      return tallies.reduce((sum, tally) => sum + meanOf(tally, 'used', 8), 0) / limit;
    };
    const stream = (rate: FleetStream['rate'], given: Partial<FleetStream> = {}): FleetStream => {
      return { customer: 'a', criticality: 'CRITICAL', rate, parts, ...given };
    };
    const pulse = (times: number, periodMs: number) => (now: number) =>
      now % periodMs < 500 ? times * limit : 0;

    it.each([
      [20, 2_000],
      [20, 4_000],
      [100, 3_000],
    ])('by one that comes in pulses of %d times, each %d ms', (times, periodMs) => {
      expect(usedOf([stream(pulse(times, periodMs))])).toBeLessThan(1.2);
    });

    it('by one that hops from one backend to all others and back', () => {
      const isOne = (now: number) => now % 6_000 < 3_000;
      const there = stream((now) => (isOne(now) ? 1.2 * limit : 0), { parts: one });
      const elsewhere = stream((now) => (isOne(now) ? 0 : 100 * limit), { parts: others });
      expect(usedOf([there, elsewhere])).toBeLessThan(1.5);
    });

    it('by one that is held, and comes with pulses of more critical requests', () => {
      const held = stream(() => 2 * limit, { criticality: 'SHEDDABLE' });
      const pulses = stream(pulse(100, 3_500), { criticality: 'CRITICAL_PLUS' });
      expect(usedOf([held, pulses])).toBeLessThan(1.5);
    });
  });

  it('refuses nobody who bursts within its savings, whatever its sheddable requests do', () => {
    const limit = 100;
    const parts = SPREADS['even']!;
    const burst = (now: number) => (now % 4_000 < 1_000 ? 2.4 * limit : 0);
    const critical: FleetStream = { customer: 'a', criticality: 'CRITICAL', rate: burst, parts };
    const sheddable: FleetStream = { customer: 'a', criticality: 'SHEDDABLE', rate: () => 10, parts };
    for (const step of [0, 5]) {
      const [tally] = runFleet({
        limits: { everyoneElse: { perSecond: limit, upTo: { SHEDDABLE: step } } },
        streams: [critical, sheddable],
        seconds: 40,
      });
      expect(refusedOf(tally!)).toBe(0);
    }
  });
});
