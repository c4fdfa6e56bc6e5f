import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../core/seeded-random.js';
import { ArrivalProcess, type ArrivalsSpec, arrivalsSchema } from './arrivals.js';

const HOUR = 3_600_000;

function randomOf(seed: number) {
  const random = new SeededRandom(seed);
  return () => random.next();
}

function arrivalsUntil(arrivals: ArrivalProcess, endMs: number): number[] {
  const instants: number[] = [];
  for (let at = arrivals.nextAfter(0); at <= endMs; at = arrivals.nextAfter(at)) instants.push(at);
  return instants;
}

const WILD: ArrivalsSpec = {
  perSecond: 200,
  diurnal: { amplitude: 0.8, periodMs: 20_000 },
  spikes: [
    { atMs: 5_000, forMs: 5_000, factor: 3 },
    { atMs: 7_500, forMs: 5_000, factor: 0 },
  ],
  steps: [
    { atMs: 30_000, factor: 0.25 },
    { atMs: 20_000, factor: 2 },
  ],
};

describe('ArrivalProcess', () => {
  it('multiplies what is in force', () => {
    const steady = new ArrivalProcess({ perSecond: 200, ...pick(WILD, 'spikes', 'steps') }, randomOf(1));
    const rates = [0, 4_999, 5_000, 7_499, 7_500, 12_499, 12_500, 20_000, 30_000, HOUR];
    expect(rates.map((at) => Math.round(steady.rateAt(at)))).toEqual([
      200, 200, 600, 600, 0, 0, 200, 400, 50, 50,
    ]);
    const wild = new ArrivalProcess(WILD, randomOf(1));
    // A day starts in the trough.
    expect(wild.rateAt(0)).toBeCloseTo(40, 10);
    expect(wild.rateAt(15_000)).toBeCloseTo(200, 10);
    expect(wild.rateAt(20_000)).toBeCloseTo(80, 10);
    expect(wild.rateAt(30_000)).toBeCloseTo(90, 10);
  });

  it('has the later of two steps at one instant hold, and multiplies overlapping spikes', () => {
    const twice = {
      perSecond: 10,
      steps: [
        { atMs: 5, factor: 2 },
        { atMs: 5, factor: 3 },
      ],
    };
    expect(new ArrivalProcess(twice, randomOf(1)).rateAt(5)).toBeCloseTo(30, 12);
    const spikes = [
      { atMs: 0, forMs: 9, factor: 2 },
      { atMs: 5, forMs: 9, factor: 3 },
    ];
    const crowded = new ArrivalProcess({ perSecond: 10, spikes }, randomOf(1));
    expect([0, 5, 9, 14].map((at) => Math.round(crowded.rateAt(at)))).toEqual([20, 60, 30, 10]);
  });

  it('is a Poisson process: as many as the rate says in every part of time, and as uneven', () => {
    const counts = new Float64Array(40);
    const squares = new Float64Array(40);
    const runs = 40;
    for (let seed = 0; seed < runs; seed++) {
      const own = new Float64Array(40);
      for (const at of arrivalsUntil(new ArrivalProcess(WILD, randomOf(seed)), 39_999))
        own[Math.floor(at / 1_000)]!++;
      for (const [second, count] of own.entries()) {
        counts[second]! += count;
        squares[second]! += count * count;
      }
    }
    const reference = new ArrivalProcess(WILD, randomOf(0));
    for (let second = 0; second < 40; second++) {
      let expected = 0;
      for (let ms = 0; ms < 1_000; ms++) expected += reference.rateAt(second * 1_000 + ms + 0.5) / 1_000;
      const mean = counts[second]! / runs;
      // Five standard errors of a count whose variance is its mean, and of that variance.
      expect(Math.abs(mean - expected)).toBeLessThanOrEqual(5 * Math.sqrt(expected / runs));
      const variance = squares[second]! / runs - mean * mean;
      expect(Math.abs(variance - expected)).toBeLessThanOrEqual(5 * expected * Math.sqrt(2.2 / runs));
    }
  });

  it('has exponential gaps when the rate is a number', () => {
    const instants = arrivalsUntil(new ArrivalProcess(1_000, randomOf(7)), 20_000);
    expect(Math.abs(instants.length - 20_000)).toBeLessThan(5 * Math.sqrt(20_000));
    const gaps = instants.slice(1).map((at, index) => at - instants[index]!);
    for (const gap of [0.1, 0.5, 1, 2, 4]) {
      const share = gaps.filter((own) => own > gap).length / gaps.length;
      expect(Math.abs(share - Math.exp(-gap))).toBeLessThan(0.02);
    }
  });

  it('keeps even arrivals one request of the rate apart, from a phase on', () => {
    const even = new ArrivalProcess({ perSecond: 100, process: 'even' }, randomOf(1), 0.3);
    expect(even.nextAfter(0)).toBeCloseTo(3, 12);
    // Asked again before it comes, the answer is the same.
    expect(even.nextAfter(1)).toBeCloseTo(3, 12);
    expect(even.nextAfter(3)).toBeCloseTo(13, 12);
    // Nobody asked for a while.
    expect(even.nextAfter(995)).toBeCloseTo(1_003, 9);
  });

  it('draws the phase of even arrivals at once, and nothing else', () => {
    const drawn = [0.25];
    const even = new ArrivalProcess({ perSecond: 100, process: 'even' }, () => drawn.pop()!);
    expect(drawn).toEqual([]);
    expect([even.nextAfter(50), even.nextAfter(52.5)]).toEqual([52.5, 62.5]);
    const late = new ArrivalProcess({ perSecond: 100, process: 'even' }, randomOf(1), 0);
    expect(late.nextAfter(7)).toBe(7);
  });

  it('spreads even arrivals as the rate goes', () => {
    const even = new ArrivalProcess({ ...(WILD as object), perSecond: 200, process: 'even' }, randomOf(1));
    const instants = arrivalsUntil(even, 60_000);
    for (let at = 1; at < instants.length; at += 37) {
      const [from, to] = [instants[at - 1]!, instants[at]!];
      let events = 0;
      for (let part = 0; part < 2_000; part++) {
        events += (even.rateAt(from + ((part + 0.5) / 2_000) * (to - from)) * (to - from)) / 2_000 / 1_000;
      }
      expect(Math.abs(events - 1)).toBeLessThan(0.01);
    }
  });

  it('knows when there will be none any more', () => {
    expect(new ArrivalProcess(0, randomOf(1)).nextAfter(5)).toBe(Number.POSITIVE_INFINITY);
    const ends = { perSecond: 1_000, steps: [{ atMs: 100, factor: 0 }] };
    const instants = arrivalsUntil(new ArrivalProcess(ends, randomOf(1)), HOUR);
    expect(instants.length).toBeGreaterThan(50);
    expect(instants.at(-1)).toBeLessThanOrEqual(100);
    const even = new ArrivalProcess({ ...ends, process: 'even' }, randomOf(1));
    expect(arrivalsUntil(even, HOUR)).toHaveLength(100);
    expect(even.nextAfter(HOUR)).toBe(Number.POSITIVE_INFINITY);
  });

  it('never goes back', () => {
    fc.assert(
      fc.property(fc.constantFrom('poisson' as const, 'even' as const), fc.nat(1_000), (process, seed) => {
        const arrivals = new ArrivalProcess({ ...(WILD as object), perSecond: 500, process }, randomOf(seed));
        let last = 0;
        for (let count = 0; count < 200; count++) {
          const next = arrivals.nextAfter(last);
          expect(next).toBeGreaterThanOrEqual(last);
          last = next;
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    [-1, 'arrivals: Too small'],
    ['fast', 'arrivals: a number of requests a second, or an object with perSecond'],
    [{ perSecond: 1, spike: [] }, 'Unrecognized key: "spike"'],
    [{ perSecond: 'x' }, 'perSecond: Invalid input: expected number'],
    [{ perSecond: 1, diurnal: { amplitude: 1.5, periodMs: 1 } }, 'arrivals.diurnal.amplitude: Too big'],
    [{ perSecond: 1, spikes: [{ atMs: 0, forMs: 0, factor: 1 }] }, 'arrivals.spikes.0.forMs: Too small'],
    [{ perSecond: 1, process: 'odd' }, 'process: Invalid option'],
  ])('refuses %j', (spec, complaint) => {
    expect(() => new ArrivalProcess(spec as ArrivalsSpec, randomOf(1))).toThrow(complaint);
  });

  it('refuses an impossible phase', () => {
    expect(() => new ArrivalProcess({ perSecond: 1, process: 'even' }, randomOf(1), 1.5)).toThrow(
      'phase must be from 0 to 1, got 1.5',
    );
    expect(arrivalsSchema.parse(WILD)).toEqual(WILD);
  });
});

function pick(spec: ArrivalsSpec, ...names: string[]): object {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => names.includes(name)));
}
