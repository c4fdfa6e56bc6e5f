import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Roster } from '../health/roster.js';
import type { LoadReport } from '../load-report.js';
import type { Outcome } from '../outcome.js';
import { SeededRandom } from '../seeded-random.js';
import { createPicker, type PolicyOptions } from './create-picker.js';
import { describePicker, picked } from './picker.contract.js';

// Equal weights: each round serves every backend, and what each had saved up at the start moves it by one at most.
describePicker('weighted', (roster, random) => createPicker(roster, random, 'weighted'), 1 / 10_000);

type Reports = Record<string, LoadReport | undefined>;

describe('weighted round robin', () => {
  function service(keys: string[], policy: PolicyOptions = 'weighted', activeLimit = 100) {
    const roster = new Roster({ activeLimit, outliers: false });
    roster.update(keys);
    for (const key of keys) roster.mark(key, 'ready', 0);
    const random = new SeededRandom(1);
    return { roster, picker: createPicker(roster, () => random.next(), policy) };
  }

  type Service = ReturnType<typeof service>;

  /** Sends requests for a while, each answered at once with its backend's report, and counts them. */
  function send(
    { picker }: Service,
    from: number,
    to: number,
    reports: Reports,
    outcome: Outcome = 'answered',
  ) {
    const counts: Record<string, number> = {};
    for (let now = from; now < to; now += 1) {
      const pick = picked(picker, now);
      const { key } = pick.backend;
      counts[key] = (counts[key] ?? 0) + 1;
      pick.done(outcome, now, reports[key]);
    }
    return counts;
  }

  const report = (requestsPerSecond: number, cpuUtilization: number, errorsPerSecond = 0): LoadReport => ({
    requestsPerSecond,
    cpuUtilization,
    errorsPerSecond,
  });

  /** Past the blackout, with these reports coming in. */
  function warm(reports: Reports, policy: PolicyOptions = 'weighted') {
    const made = service(Object.keys(reports), policy);
    send(made, 0, 11_000, reports);
    return made;
  }

  it('gives each its requests per utilization', () => {
    const reports = { slow: report(100, 1), fast: report(100, 0.25), mid: report(50, 0.25) };
    // 100, 400 and 200: of 7,000 requests 1,000, 4,000 and 2,000.
    const counts = send(warm(reports), 11_000, 18_000, reports);
    expect(counts['slow']).toBeCloseTo(1_000, -1);
    expect(counts['fast']).toBeCloseTo(4_000, -1);
    expect(counts['mid']).toBeCloseTo(2_000, -1);
  });

  it('says its weights, of those that it chooses among', () => {
    const reports = { slow: report(100, 1), fast: report(100, 0.25), mid: report(50, 0.25) };
    const made = warm(reports);
    const { roster, picker } = made;
    send(made, 11_000, 13_000, reports);
    const weights = () => ['slow', 'fast', 'mid'].map((key) => picker.weightOf(roster.get(key)!));
    expect(weights()).toEqual([0.25, 1, 0.5]);
    roster.mark('fast', 'refusing', 13_000);
    // Nobody has picked since: mid stands where fast stood.
    roster.snapshot(13_000);
    expect(weights()).toEqual([0.25, undefined, undefined]);
    picked(picker, 13_001);
    expect(weights()).toEqual([0.5, undefined, 1]);
    const plain = service(['a'], 'round-robin');
    expect(plain.picker.weightOf(plain.roster.get('a')!)).toBeUndefined();
  });

  it('counts errors against a backend, as gRFC A58 does', () => {
    // 100 / 0.5 = 200 against 100 / (0.5 + 50/100) = 100.
    const reports = { good: report(100, 0.5), bad: report(100, 0.5, 50) };
    const counts = send(warm(reports), 11_000, 14_000, reports);
    expect(counts['good']).toBeCloseTo(2_000, -1);
    expect(counts['bad']).toBeCloseTo(1_000, -1);
    // With a penalty of 0 errors do not count: a zero given is a zero meant.
    const lenient = send(warm(reports, { name: 'weighted', errorPenalty: 0 }), 11_000, 14_000, reports);
    expect(lenient['good']).toBeCloseTo(1_500, -1);
  });

  it('counts errors that only the client sees', () => {
    const reports = { a: report(100, 0.5), b: report(100, 0.5) };
    const made = warm(reports);
    // Every answer of b breaks on the way, while its reports (by health checks) go on looking fine.
    for (let index = 0; index < 400; index++) {
      const pick = picked(made.picker, 11_000 + index);
      pick.done(pick.backend.key === 'b' ? 'broken' : 'answered', 11_000 + index);
    }
    const counts = send(made, 12_000, 12_100, {}, 'aborted');
    expect(counts['b']).toBeLessThan(45);
    expect(counts['b']).toBeGreaterThan(20);
    // And forgives when they stop.
    send(made, 12_100, 13_100, {});
    expect(send(made, 14_000, 14_100, {})['b']).toBe(50);
  });

  it('serves without bursts: a backend of half the weight never twice in a row', () => {
    const reports = { a: report(200, 0.5), b: report(100, 0.5), c: report(100, 0.5) };
    const { picker } = warm(reports);
    let last = '';
    for (let now = 11_000; now < 12_000; now++) {
      const pick = picked(picker, now);
      if (pick.backend.key !== 'a') expect(pick.backend.key).not.toBe(last);
      last = pick.backend.key;
      pick.done('answered', now);
    }
  });

  it('spreads by any weights to within one request a backend', () => {
    const weights = fc.array(fc.integer({ min: 100, max: 900 }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(weights, (rates) => {
        const reports = Object.fromEntries(rates.map((rate, index) => [`b${index}`, report(rate, 1)]));
        const counts = send(warm(reports), 11_000, 12_000, {});
        const total = rates.reduce((sum, rate) => sum + rate, 0);
        const largest = Math.max(...rates);
        for (const [index, rate] of rates.entries()) {
          // 1,000 requests are between `rounds` and `rounds` + 1 visits of each, a part of the last round being open.
          const ideal = (1_000 * rate) / total;
          const ofOneRound = rate / largest;
          expect(Math.abs((counts[`b${index}`] ?? 0) - ideal)).toBeLessThanOrEqual(2 + ofOneRound);
        }
      }),
      { numRuns: 50 },
    );
  });

  describe('has none of the four faults known from another implementation', () => {
    const reports: Reports = { a: report(100, 0.5), b: report(300, 0.5), c: report(200, 0.5) };

    it('a newcomer without a weight gets the mean of the others, not nothing', () => {
      const made = warm(reports);
      made.roster.update(['a', 'b', 'c', 'new']);
      made.roster.mark('new', 'ready', 11_000);
      const counts = send(made, 11_000, 13_000, reports);
      expect(counts['new']! / 2_000).toBeCloseTo(0.25, 2);
      expect(counts['a']! / counts['b']!).toBeCloseTo(1 / 3, 1);
    });

    it('falls back to the CPU when the application reports no utilization of its own, or none above 0', () => {
      const mixed: Reports = {
        a: { requestsPerSecond: 100, cpuUtilization: 0.2 },
        b: { requestsPerSecond: 100, cpuUtilization: 0.2, applicationUtilization: 0 },
        c: { requestsPerSecond: 100, cpuUtilization: 0.9, applicationUtilization: 0.4 },
      };
      const counts = send(warm(mixed), 11_000, 16_000, mixed);
      // 500 : 500 : 250
      expect(counts['a']).toBeCloseTo(2_000, -1);
      expect(counts['b']).toBeCloseTo(2_000, -1);
      expect(counts['c']).toBeCloseTo(1_000, -1);
    });

    it('a single weight compares with nothing: plain round robin', () => {
      const single: Reports = { a: report(1_000, 0.1), b: undefined, c: undefined };
      const counts = send(warm(single), 11_000, 14_000, single);
      for (const key of ['a', 'b', 'c']) expect(Math.abs(counts[key]! - 1_000)).toBeLessThanOrEqual(1);
    });

    it('refuses an option that it does not know', () => {
      const misspelt = { name: 'weighted', blackoutPeriod: 5 } as unknown as PolicyOptions;
      expect(() => service(['a'], misspelt)).toThrow('weighted has no option "blackoutPeriod"');
    });
  });

  it('listens through the blackout before it uses a weight, and again after a restart', () => {
    const reports = { a: report(100, 0.5), b: report(400, 0.5) };
    const made = service(['a', 'b']);
    const early = send(made, 0, 9_000, reports);
    expect(Math.abs(early['a']! - early['b']!)).toBeLessThanOrEqual(2);
    send(made, 9_000, 11_100, reports);
    expect(send(made, 11_100, 12_100, reports)['b']).toBeCloseTo(800, -1);
    made.roster.mark('b', 'refusing', 12_100);
    made.roster.mark('b', 'ready', 12_200);
    // Until b's new process has been heard for 10 s only a's weight is known: plain round robin.
    expect(send(made, 12_200, 14_200, reports)['b']).toBeCloseTo(1_000, -1);
    send(made, 14_200, 23_300, reports);
    expect(send(made, 23_300, 24_300, reports)['b']).toBeCloseTo(800, -1);
  });

  it('forgets what was reported too long ago', () => {
    const reports = { a: report(100, 0.5), b: report(400, 0.5) };
    const made = warm(reports);
    const idleForAnHour = 11_000 + 3_600_000;
    const counts = send(made, idleForAnHour, idleForAnHour + 1_000, {});
    expect(counts['a']).toBe(500);
    // Then a blackout again before new reports count.
    const later = send(made, idleForAnHour + 1_000, idleForAnHour + 9_000, reports);
    expect(later['a']).toBeCloseTo(4_000, -1);
  });

  it('keeps what it learned about the others when one leaves', () => {
    const reports: Reports = { a: report(100, 0.5), b: report(300, 0.5), c: report(200, 0.5) };
    const made = warm(reports);
    made.roster.update(['a', 'b']);
    const counts = send(made, 11_000, 12_000, {});
    expect(counts['a']).toBeCloseTo(250, -1);
    expect(counts['b']).toBeCloseTo(750, -1);
  });

  it('does not let one report draw all the traffic', () => {
    const reports: Reports = { a: report(100, 0.5), b: report(100, 0.5), idle: report(100, 0.000_001) };
    const counts = send(warm(reports), 11_000, 12_000, {});
    // Ten times as much as each of the others.
    expect(counts['idle']).toBeCloseTo((1_000 * 10) / 12, -1);
    expect(counts['a']).toBeCloseTo(1_000 / 12, -1);
  });

  it('does not let one report of twenty draw more than tenfold, whatever it says', () => {
    const keys = Array.from({ length: 20 }, (_, index) => `b${index}`);
    const reports = Object.fromEntries(keys.map((key, at) => [key, report(40, at === 0 ? 0.000_04 : 0.4)]));
    const counts = send(warm(reports), 11_000, 21_000, {});
    // Bounded by the mean, which it would set itself, it got 84 %.
    expect(counts['b0']! / 10_000).toBeCloseTo(10 / 29, 2);
  });

  it('takes the one in the middle for the median, in whatever order they stand', () => {
    const reports: Reports = { a: report(100, 1), liar: report(1e6, 1), c: report(50, 1) };
    const counts = send(warm(reports), 11_000, 16_000, {});
    expect(counts['a']! / counts['c']!).toBeCloseTo(2, 1);
    expect(counts['liar']! / counts['a']!).toBeCloseTo(10, 0);
  });

  it('counts a newcomer as the mean of the others within their bounds', () => {
    const reports: Reports = {
      a: report(100, 1),
      b: report(100, 1),
      c: report(100, 1),
      liar: report(1e6, 1),
    };
    const made = warm(reports);
    made.roster.update(['a', 'b', 'c', 'liar', 'new']);
    made.roster.mark('new', 'ready', 11_000);
    const counts = send(made, 11_000, 21_000, {});
    // 1 : 1 : 1 : 10, and the mean of these is 3.25.
    expect(counts['new']! / counts['a']!).toBeCloseTo(3.25, 1);
  });

  it('counts errors against a backend that has no weight', () => {
    const made = service(['a', 'b', 'c']);
    for (let now = 0; now < 5_000; now++) {
      const pick = picked(made.picker, now);
      pick.done(pick.backend.key === 'c' ? 'broken' : 'answered', now);
    }
    const counts = send(made, 5_000, 6_000, {});
    // Half of a full share, since it failed all of its requests.
    expect(counts['c']! / counts['a']!).toBeGreaterThan(0.4);
    expect(counts['c']! / counts['a']!).toBeLessThan(0.7);
  });

  it('comes back from any report, however absurd, and serves everybody', () => {
    const any = fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true });
    const absurd = fc.record({ requestsPerSecond: any, cpuUtilization: any, errorsPerSecond: any });
    fc.assert(
      fc.property(fc.array(absurd, { minLength: 3, maxLength: 5 }), (given) => {
        const reports = Object.fromEntries(given.map((report, index) => [`b${index}`, report]));
        const made = service(Object.keys(reports));
        for (let now = 0; now <= 11_000; now += 500) {
          for (const backend of made.roster.members())
            made.picker.report(backend, reports[backend.key]!, now);
        }
        const counts = send(made, 11_000, 11_500, {});
        expect(Object.keys(counts)).toHaveLength(given.length);
      }),
      { numRuns: 200 },
    );
  });

  it('learns from the answers to health checks as from any other', () => {
    const made = service(['a', 'b']);
    for (let now = 0; now <= 11_000; now += 1_000) {
      made.picker.report(made.roster.get('a')!, report(300, 0.5), now);
      made.picker.report(made.roster.get('b')!, report(100, 0.5), now);
    }
    expect(send(made, 11_000, 12_000, {})['a']).toBeCloseTo(750, -1);
    // Policies without weights take no notice.
    const other = service(['a', 'b'], 'round-robin');
    other.picker.report(other.roster.get('a')!, report(300, 0.5), 0);
    expect(send(other, 0, 10, {})).toEqual({ a: 5, b: 5 });
  });

  it('divides the turns of a full backend among the others by weight', () => {
    const reports: Reports = {
      full: report(1_000, 1),
      big: report(900, 1),
      s1: report(100, 1),
      s2: report(100, 1),
    };
    const made = service(Object.keys(reports), 'weighted', 40);
    send(made, 0, 11_000, reports);
    const held = [];
    while (made.roster.get('full')!.active < 40) {
      const pick = picked(made.picker, 11_000);
      if (pick.backend.key === 'full') held.push(pick);
      else pick.done('answered', 11_000);
    }
    const counts = send(made, 11_000, 22_000, reports);
    expect(counts['full']).toBeUndefined();
    // 9 : 1 : 1 of 11,000
    expect(counts['big']).toBeCloseTo(9_000, -2);
    expect(counts['s1']).toBeCloseTo(1_000, -2);
    for (const pick of held) pick.done('answered', 22_000);
  });

  it('bounds what any one may get, up and down', () => {
    // Forty at 100, one that claims a million times as much and one that claims a millionth.
    const keys = Array.from({ length: 42 }, (_, index) => `b${index}`);
    const rates = [1e8, 1e-4];
    const reports = Object.fromEntries(keys.map((key, index) => [key, report(rates[index] ?? 100, 1)]));
    const counts = send(warm(reports), 11_000, 31_000, {});
    expect(counts['b0']! / 20_000).toBeCloseTo(10 / 50.1, 2);
    expect(counts['b1']! / counts['b2']!).toBeCloseTo(0.1, 1);
  });

  it('keeps what backends have saved up over a change of members', () => {
    // Weights 10 : 1 : 1. If each change of snapshot threw the savings away, the light ones would never be served.
    const reports: Reports = {
      heavy: report(1_000, 1),
      b: report(100, 1),
      c: report(100, 1),
      spare: report(100, 1),
    };
    const made = warm(reports);
    const counts: Record<string, number> = {};
    for (let now = 11_000; now < 14_000; now++) {
      if (now % 2 === 0) made.roster.mark('spare', now % 4 === 0 ? 'lame-duck' : 'ready', now);
      const pick = picked(made.picker, now);
      counts[pick.backend.key] = (counts[pick.backend.key] ?? 0) + 1;
      pick.done('answered', now);
    }
    expect(counts['b']! / counts['heavy']!).toBeCloseTo(0.1, 1);
    expect(counts['b']).toBeGreaterThan(100);
    expect(counts['c']).toBeGreaterThan(100);
  });

  it('counts neither aborts nor refusals as successes', () => {
    const reports = { a: report(100, 0.5), b: report(100, 0.5) };
    const made = warm(reports);
    for (let index = 0; index < 200; index++) {
      const pick = picked(made.picker, 11_000 + index);
      pick.done(pick.backend.key === 'b' ? 'broken' : 'answered', 11_000 + index);
    }
    const before = send(made, 12_300, 12_400, {}, 'aborted');
    send(made, 12_400, 14_400, {}, 'task-overloaded');
    // As seldom as before, give or take a turn that was under way.
    expect(Math.abs(send(made, 15_500, 15_600, {}, 'aborted')['b']! - before['b']!)).toBeLessThanOrEqual(1);
  });

  it('takes the worse of what is reported and what it saw, not both', () => {
    // Half of b's answers are errors, and b reports as much: an error share of 0.5, not of 1.
    const reports = { a: report(100, 0.5), b: report(100, 0.5, 50) };
    const made = warm(reports);
    let isError = false;
    for (let now = 11_000; now < 13_000; now++) {
      const pick = picked(made.picker, now);
      if (pick.backend.key === 'b') isError = !isError;
      pick.done(
        pick.backend.key === 'b' && isError ? 'failed' : 'answered',
        now,
        reports[pick.backend.key as 'a'],
      );
    }
    expect(send(made, 14_000, 17_000, {}, 'aborted')['b']).toBeCloseTo(1_000, -2);
  });

  it('forgets with a restart what its predecessor failed', () => {
    const reports = { a: report(100, 0.5), b: report(100, 0.5) };
    const made = warm(reports);
    for (let now = 11_000; now < 11_400; now++) {
      const pick = picked(made.picker, now);
      pick.done(pick.backend.key === 'b' ? 'broken' : 'answered', now);
    }
    made.roster.mark('b', 'refusing', 11_400);
    made.roster.mark('b', 'ready', 11_500);
    send(made, 11_500, 22_000, reports, 'aborted');
    expect(send(made, 22_000, 23_000, {}, 'aborted')['b']).toBeCloseTo(500, -1);
  });

  it('does not believe reports that say nothing, or nonsense', () => {
    const good = { a: report(100, 0.5), b: report(300, 0.5) };
    const nonsense = [
      {},
      report(0, 0.5),
      report(100, 0),
      report(Number.POSITIVE_INFINITY, 0.5),
      report(100, Number.POSITIVE_INFINITY),
      report(Number.NaN, 0.5),
    ];
    for (const bad of nonsense) {
      const made = warm(good);
      send(made, 11_000, 12_000, { a: bad });
      expect(send(made, 12_000, 13_000, {})['a']).toBeCloseTo(250, -1);
    }
    const made = warm(good);
    send(made, 11_000, 12_000, { a: report(100, 0.5, Number.NaN) });
    expect(send(made, 12_000, 13_000, {})['a']).toBeCloseTo(250, -1);
  });

  it('lets a newcomer start slowly when told to', () => {
    const policy: PolicyOptions = { name: 'weighted', slowStart: { windowMs: 10_000 } };
    const made = service(['a', 'b'], policy);
    send(made, 0, 20_000, {});
    made.roster.update(['a', 'b', 'new']);
    made.roster.mark('new', 'ready', 20_000);
    // 0.1 of a share against 2 at first, half a share after half the window, a whole one at its end.
    expect(send(made, 20_000, 20_100, {})['new']).toBeLessThanOrEqual(6);
    send(made, 20_100, 25_000, {});
    expect(send(made, 25_000, 26_000, {})['new']! / 1_000).toBeCloseTo(0.5 / 2.5, 1);
    send(made, 26_000, 31_000, {});
    expect(send(made, 31_000, 34_000, {})['new']).toBeCloseTo(1_000, -1);
  });

  it('refuses impossible options with field and value', () => {
    const make = (options: object) => () => service(['a'], { name: 'weighted', ...options });
    expect(make({ blackoutMs: -1 })).toThrow('blackoutMs must be a finite number >= 0, got -1');
    expect(make({ expiryMs: 0 })).toThrow('expiryMs must be a finite number > 0, got 0');
    expect(make({ errorPenalty: Number.NaN })).toThrow('errorPenalty must be a finite number >= 0, got NaN');
    expect(make({ updateMs: 0 })).toThrow('updateMs must be a finite number > 0, got 0');
    expect(make({ maxRatio: 0.5 })).toThrow('maxRatio must be >= 1, got 0.5');
    expect(make({ maxRatio: 1 })).not.toThrow();
    expect(make({ maxRatio: '10' })).toThrow('maxRatio must be a finite number > 0, got "10"');
    expect(make({ slowStart: 5 })).toThrow('slowStart must be an object of options, got 5');
    expect(make({ slowStart: { windowMs: -1 } })).toThrow('windowMs');
  });
});
