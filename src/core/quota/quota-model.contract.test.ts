import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { QuotaEnforcement, type QuotaEnforcementOptions } from './quota-enforcement.js';
import { exponential, meanOf, runStreams, type Second, type Stream } from './quota-model.contract.js';

const LIMIT = 100;

function each(perSecond: number, options?: Partial<QuotaEnforcementOptions>): QuotaEnforcement {
  return new QuotaEnforcement({ everyoneElse: { perSecond } }, options);
}

/** Offers `times` the limit, in requests that cost a 500th of a second's worth on average. */
function stream(times: number, given: Partial<Stream> = {}): Stream {
  return {
    customer: 'greedy',
    criticality: 'CRITICAL',
    rate: () => times * 500,
    cost: (random) => exponential(random) * (LIMIT / 500),
    ...given,
  };
}

/** What was used of the limit, on average. */
function used(tallies: readonly (readonly Second[])[], from: number, to?: number): number {
  return tallies.reduce((sum, tally) => sum + meanOf(tally, 'used', from, to), 0) / LIMIT;
}

function refusedShare(tally: readonly Second[], from = 0): number {
  return meanOf(tally, 'refused', from) / meanOf(tally, 'arrived', from);
}

describe('QuotaEnforcement under load', () => {
  it('keeps one that wants three times its limit within it, least critical refused first', () => {
    const mix = [0.1, 0.5, 1, 1.4];
    const plan = (['CRITICAL_PLUS', 'CRITICAL', 'SHEDDABLE_PLUS', 'SHEDDABLE'] as const).map(
      (criticality, index) => stream(mix[index]!, { criticality }),
    );
    const modest = stream(0.8, { customer: 'modest', criticality: 'SHEDDABLE' });
    const tallies = runStreams(each(LIMIT), [...plan, modest], 30);
    const greedy = tallies.slice(0, 4);
    // The saved up and the first reaction take 5 s.
    for (const from of [5, 10, 15, 20, 25])
      expect(Math.abs(used(greedy, from, from + 5) - 1)).toBeLessThan(0.05);
    expect(Math.abs(used(greedy, 6) - 1)).toBeLessThan(0.02);
    const [plus, critical, sheddablePlus, sheddable] = greedy.map((tally) => refusedShare(tally, 6));
    expect([plus, critical, sheddable]).toEqual([0, 0, 1]);
    // 0.4 of the 1.0 that it wants are left for it.
    expect(Math.abs(sheddablePlus! - 0.6)).toBeLessThan(0.05);
    expect(refusedShare(tallies[4]!)).toBe(0);
  });

  it.each([1.1, 10, 50])('ends at the limit when %d times as much is wanted', (times) => {
    const tallies = runStreams(each(LIMIT), [stream(times)], times > 10 ? 20 : 40);
    expect(Math.abs(used(tallies, 10) - 1)).toBeLessThan(0.05);
  });

  it('does not swing when costs are known only after five seconds', () => {
    const tallies = runStreams(each(LIMIT), [stream(3, { latencyMs: () => 5_000 })], 60);
    // What was let in before the first cost was known is done after 10 s, and then what had been saved up.
    for (let from = 20; from < 60; from += 5)
      expect(Math.abs(used(tallies, from, from + 5) - 1)).toBeLessThan(0.1);
    expect(Math.abs(used(tallies, 20) - 1)).toBeLessThan(0.03);
  });

  it('is back at the limit when requests cost ten times as much from one moment to the next', () => {
    const cost: Stream['cost'] = (random, now) => exponential(random) * (now < 10_000 ? 0.2 : 2);
    const tallies = runStreams(each(LIMIT), [stream(0.9, { cost })], 40);
    expect(used(tallies, 10, 12)).toBeGreaterThan(1.5);
    expect(Math.abs(used(tallies, 15) - 1)).toBeLessThan(0.1);
  });

  it('makes requests that cost many seconds’ worth wait their turn', () => {
    const huge = stream(0, { rate: () => 2, cost: () => 20 * LIMIT });
    const tallies = runStreams(each(LIMIT), [huge], 600);
    expect(Math.abs(used(tallies, 0) - 1)).toBeLessThan(0.15);
  });

  it('is not fooled by a customer whose trace ids are always the last to be refused', () => {
    const sly = stream(3, { order: () => 0.999_999 });
    expect(Math.abs(used(runStreams(each(LIMIT), [sly], 40), 10) - 1)).toBeLessThan(0.05);
  });

  // As far as what is saved up reaches: at 95 % of a limit, requests of a 20th of a second's worth go beyond it at
  // times.
  it.each([
    [0.8, 20],
    [0.95, 100],
  ])('does not refuse a customer at %d of its limit, in requests of 1/%d of it', (load, parts) => {
    const cost: Stream['cost'] = (random) => exponential(random) * (LIMIT / parts);
    const modest = stream(0, { rate: () => load * parts, cost });
    for (const seed of [1, 2, 3])
      expect(refusedShare(runStreams(each(LIMIT), [modest], 100, seed)[0]!)).toBe(0);
  });

  it('does not refuse a customer that wants all of its second in a tenth of it', () => {
    const pulses = stream(0, { rate: (now) => (now % 1_000 < 100 ? 0.9 * 5_000 : 0) });
    expect(refusedShare(runStreams(each(LIMIT), [pulses], 20)[0]!)).toBe(0);
  });

  it('serves only the critical ones of a customer when they alone fit, and all of those', () => {
    const critical = stream(0.9);
    const sheddable = stream(5, { criticality: 'SHEDDABLE' });
    const [served, rest] = runStreams(each(LIMIT), [critical, sheddable], 30);
    expect(refusedShare(served!)).toBe(0);
    expect(Math.abs(meanOf(rest!, 'used', 10) / LIMIT - 0.1)).toBeLessThan(0.03);
  });

  it('gives errors only to the customer that misbehaves: SRE ch. 21’s four, and everyone else', () => {
    // A thousandth of the text's numbers, so that there are requests enough to count.
    const limits = { gmail: 4, calendar: 4, android: 3, 'google+': 2 };
    const customers = Object.entries(limits).map(([customer, perSecond]) => ({ customer, perSecond }));
    const quota = new QuotaEnforcement({ customers, everyoneElse: { perSecond: 0.5 } });
    const share = { gmail: 2, calendar: 0.8, android: 0.8, 'google+': 0.8, photos: 0.8, maps: 3 };
    const streams = Object.entries(share).map(([customer, times]): Stream => {
      const perSecond = limits[customer as keyof typeof limits] ?? 0.5;
      const rate = () => (times * perSecond) / 0.01;
      return { customer, criticality: 'CRITICAL', rate, cost: (random) => 0.01 * exponential(random) };
    });
    const [gmail, calendar, android, plus, photos, maps] = runStreams(quota, streams, 40);
    for (const tally of [calendar, android, plus, photos]) expect(refusedShare(tally!)).toBe(0);
    expect(Math.abs(meanOf(gmail!, 'used', 10) / 4 - 1)).toBeLessThan(0.05);
    expect(Math.abs(meanOf(maps!, 'used', 10) / 0.5 - 1)).toBeLessThan(0.1);
  });

  it('refuses the same requests at each backend, if they are in the same order', () => {
    const random = new SeededRandom(7);
    const backends = [each(LIMIT), each(LIMIT)];
    const admitted = [0, 0];
    let both = 0;
    for (let now = 0; now < 30_000; now++) {
      const order = random.next();
      // One request a millisecond, the same at both; each backend has others of its own, and costs differ.
      const decisions = backends.map((quota) => {
        const decision = quota.admit('a', 'CRITICAL', order, now);
        if (decision === 'admit') quota.charge('a', 'CRITICAL', 0.2 * exponential(() => random.next()), now);
        if (random.next() < 0.3 && quota.admit('a', 'CRITICAL', random.next(), now) === 'admit') {
          quota.charge('a', 'CRITICAL', 0.2 * exponential(() => random.next()), now);
        }
        return decision === 'admit';
      });
      if (now < 10_000) continue;
      for (const [index, isAdmitted] of decisions.entries()) if (isAdmitted) admitted[index]! += 1;
      if (decisions[0] && decisions[1]) both++;
    }
    // 1.3 requests a millisecond × 0.2 = 260 a second: 38 % are served. Independent choices would agree on 15 %.
    expect(Math.abs(admitted[0]! / 20_000 - 0.385)).toBeLessThan(0.02);
    expect(both / Math.max(...admitted)).toBeGreaterThan(0.9);
  });
});
