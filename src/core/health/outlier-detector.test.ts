import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { OutlierDetector } from './outlier-detector.js';
import { OutlierRecord } from './outlier-record.js';

function makeRecords(count: number): OutlierRecord[] {
  return Array.from({ length: count }, () => new OutlierRecord());
}

/** Counts only: five failures in a row are not acted upon. */
function count(detector: OutlierDetector, record: OutlierRecord, successes: number, failures: number): void {
  for (let i = 0; i < successes; i++) detector.observe(record, true);
  for (let i = 0; i < failures; i++) detector.observe(record, false);
}

/** The same, with the failures as far from each other as they can be: no rows of them, if there are fewer than successes. */
function strew(detector: OutlierDetector, record: OutlierRecord, successes: number, failures: number): void {
  for (let i = 0; i < Math.max(successes, failures); i++) {
    if (i < successes) detector.observe(record, true);
    if (i < failures) detector.observe(record, false);
  }
}

/** A detector whose first interval began at 0. */
function started(
  records: readonly OutlierRecord[],
  ...options: ConstructorParameters<typeof OutlierDetector>
) {
  const detector = new OutlierDetector(...options);
  detector.sweep(records, 0);
  return detector;
}

describe('failures in a row', () => {
  it('make a candidate at the fifth, not before, and not with a success in between', () => {
    const detector = new OutlierDetector();
    const record = new OutlierRecord();
    const fails = (times: number) => Array.from({ length: times }, () => detector.observe(record, false));
    expect(fails(4)).toEqual([false, false, false, false]);
    expect(detector.observe(record, true)).toBe(false);
    expect(fails(5)).toEqual([false, false, false, false, true]);
  });

  it('ask again every five, and not for one that is ejected', () => {
    const records = makeRecords(3);
    const detector = started(records);
    const asked = Array.from({ length: 10 }, () => detector.observe(records[0]!, false));
    expect(asked.flatMap((isCandidate, index) => (isCandidate ? [index + 1] : []))).toEqual([5, 10]);
    expect(detector.tryEject(records[0]!, records, 0)).toBe(true);
    for (let i = 0; i < 20; i++) expect(detector.observe(records[0]!, false)).toBe(false);
  });

  it('count once when they were under way together, and once each when they were sent after the first had failed', () => {
    const detector = new OutlierDetector();
    const record = new OutlierRecord();
    // Twenty of twenty stood in the same stall; then one more after the other.
    const stalled = Array.from({ length: 20 }, (_, at) => detector.observe(record, false, at + 1, 20));
    expect([
      ...stalled,
      ...[21, 22, 23].map((turn) => detector.observe(record, false, turn, turn)),
    ]).not.toContain(true);
    expect(detector.observe(record, false, 24, 24)).toBe(true);
    // One that was under way since long before and ends well ends the row as well.
    detector.observe(record, true, 3, 24);
    expect(
      [25, 26, 27, 28, 29].map((turn) => detector.observe(record, false, turn, turn)).indexOf(true),
    ).toBe(4);
  });

  it('are more where others fail in the same period, and none are enough where all do', () => {
    const rowFor = (othersSuccesses: number, othersFailures: number) => {
      const [one, other] = makeRecords(2);
      const detector = new OutlierDetector();
      // From before, and no matter.
      count(detector, other!, 50, 50);
      detector.observe(one!, false);
      count(detector, other!, othersSuccesses, othersFailures);
      for (let row = 2; row <= 200; row++) if (detector.observe(one!, false)) return row;
      return undefined;
    };
    // A half to the power of n is at most 0.01^5 from n = 33.2 on, a tenth from n = 10 on; asked every five.
    expect([rowFor(0, 0), rowFor(1_000, 10), rowFor(901, 99), rowFor(500, 500)]).toEqual([5, 5, 10, 35]);
    expect(rowFor(0, 1_000)).toBeUndefined();
  });

  it('eject nobody when deadlines pass in bursts on all backends, and find the one that is dead all the same', () => {
    const random = new SeededRandom(7);
    const records = makeRecords(6);
    const detector = started(records);
    const ejected: number[] = [];
    const observe = (at: number, succeeded: boolean, now: number) => {
      if (!detector.observe(records[at]!, succeeded)) return;
      if (detector.tryEject(records[at]!, records, now)) ejected.push(at);
    };
    // A second in which each has some 25 outcomes; in every fifth what is under way at all of them comes too late.
    const second = (now: number, dead?: number) => {
      const isBurst = now % 5_000 === 0;
      for (let i = 0; i < 150; i++) {
        const at = Math.floor(random.next() * 6);
        if (!records[at]!.isEjected) observe(at, at !== dead && !(isBurst && i < 120), now);
      }
      if (now >= detector.dueMs) detector.sweep(records, now);
    };
    for (let now = 1_000; now <= 300_000; now += 1_000) second(now);
    expect(ejected).toEqual([]);
    for (let now = 301_000; now <= 303_000; now += 1_000) second(now, 2);
    expect(ejected).toEqual([2]);
  });

  it('start anew after an ejection', () => {
    const records = makeRecords(3);
    const detector = started(records);
    detector.tryEject(records[0]!, records, 0);
    // Four that were under way when it was ejected fail late.
    count(detector, records[0]!, 0, 4);
    expect(detector.sweep(records, 30_000)).toBe(true);
    expect(records[0]).toMatchObject({ isEjected: false, failuresInARow: 0, requests: 0 });
    expect(detector.observe(records[0]!, false)).toBe(false);
  });
});

describe('an ejection', () => {
  it('lasts 30 s times its number in a row, at most 300 s', () => {
    const records = makeRecords(3);
    const detector = started(records);
    let now = 0;
    const lasted: number[] = [];
    for (let i = 0; i < 12; i++) {
      expect(detector.tryEject(records[0]!, records, now)).toBe(true);
      lasted.push(records[0]!.ejectedUntilMs - now);
      now = records[0]!.ejectedUntilMs;
      detector.sweep(records, now);
    }
    const expected = [30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 300, 300];
    expect(lasted.map((ms) => ms / 1_000)).toEqual(expected);
  });

  it('ends on time, not at the next interval, and says when that is', () => {
    const records = makeRecords(3);
    const detector = started(records, { baseEjectionMs: 3_000 });
    expect(detector.dueMs).toBe(10_000);
    detector.tryEject(records[0]!, records, 1_000);
    expect(detector.dueMs).toBe(4_000);
    expect(detector.sweep(records, 3_999)).toBe(false);
    expect(records[0]!.isEjected).toBe(true);
    expect(detector.dueMs).toBe(4_000);
    expect(detector.sweep(records, 4_000)).toBe(true);
    expect(records[0]!.isEjected).toBe(false);
    expect(detector.dueMs).toBe(10_000);
  });

  it('is not made twice', () => {
    const records = makeRecords(30);
    const detector = started(records);
    expect(detector.tryEject(records[0]!, records, 0)).toBe(true);
    expect(detector.tryEject(records[0]!, records, 5_000)).toBe(false);
    expect(records[0]).toMatchObject({ ejectedUntilMs: 30_000, ejections: 1 });
  });

  it.each([
    [1, 0.1, 1],
    [9, 0.1, 1],
    [10, 0.1, 1],
    [19, 0.1, 1],
    [20, 0.1, 2],
    [100, 0.1, 10],
    [100, 0.29, 29],
    [5, 0, 1],
    [4, 1, 4],
  ])('of %i backends with a share of %d: at most %i at once', (total, maxEjectedShare, allowed) => {
    const records = makeRecords(total);
    const detector = started(records, { maxEjectedShare });
    const ejected = records.filter((record) => detector.tryEject(record, records, 0));
    expect(ejected).toHaveLength(allowed);
  });

  it('counts for less with each interval spent wholly in service', () => {
    const records = makeRecords(3);
    const record = records[0]!;
    const detector = started(records, { baseEjectionMs: 5_000 });
    const ejectionsAt = (now: number) => {
      detector.sweep(records, now);
      return record.ejections;
    };
    detector.tryEject(record, records, 0);
    expect(ejectionsAt(5_000)).toBe(1);
    detector.tryEject(record, records, 5_000); // until 15,000: in the middle of the second interval
    const instants = [10_000, 15_000, 20_000, 30_000, 35_000, 40_000, 50_000];
    expect(instants.map(ejectionsAt)).toEqual([2, 2, 2, 1, 1, 0, 0]);
  });
});

describe('success rate', () => {
  const counted = (rates: readonly number[], requests = 100) => {
    const records = makeRecords(rates.length);
    const detector = started(records, { failureShare: { threshold: 1, minimumRequests: 1_000_000 } });
    rates.forEach((rate, index) => {
      count(detector, records[index]!, Math.round(requests * rate), Math.round(requests * (1 - rate)));
    });
    return { detector, records };
  };
  const ejectedOf = (rates: readonly number[], requests?: number) => {
    const { detector, records } = counted(rates, requests);
    const hasChanged = detector.sweep(records, 10_000);
    const ejected = records.flatMap((record, index) => (record.isEjected ? [index] : []));
    expect(hasChanged).toBe(ejected.length > 0);
    return ejected;
  };

  it('ejects what lies below mean − 1.9 σ', () => {
    // mean 0.8, σ 0.4, threshold 0.04
    expect(ejectedOf([1, 1, 1, 1, 0])).toEqual([4]);
    // mean 0.94, σ 0.12, threshold 0.712
    expect(ejectedOf([1, 1, 1, 0.7, 1])).toEqual([3]);
    // mean 0.92, σ 0.098, threshold 0.734: two share the blame, neither stands out
    expect(ejectedOf([1, 1, 1, 0.8, 0.8])).toEqual([]);
  });

  it('leaves two alone that share the blame, though neither fails by chance', () => {
    const { detector, records } = counted([1, 1, 1]);
    records.push(...makeRecords(2));
    // 20 where 5 are expected of it: 6.9 σ of the count. But mean 0.92, threshold 0.734.
    for (const record of records.slice(3)) strew(detector, record, 80, 20);
    expect(detector.sweep(records, 10_000)).toBe(false);
  });

  it('compares as many backends as it is set to at the least', () => {
    const ejectsAmongFour = (minimumBackends: number) => {
      const records = makeRecords(4);
      const detector = started(records, {
        successRate: { stdevFactor: 1, minimumBackends },
        failureShare: { minimumRequests: 1_000_000 },
      });
      for (const record of records.slice(1)) count(detector, record, 100, 0);
      count(detector, records[0]!, 0, 100);
      return detector.sweep(records, 10_000);
    };
    expect([ejectsAmongFour(4), ejectsAmongFour(5)]).toEqual([true, false]);
  });

  it('needs five backends with a hundred requests each', () => {
    expect(ejectedOf([1, 1, 1, 0])).toEqual([]);
    expect(ejectedOf([1, 1, 1, 1, 0], 99)).toEqual([]);
    // A sixth that had too few is neither judged nor counted.
    const { detector, records } = counted([1, 1, 1, 0]);
    records.push(new OutlierRecord());
    count(detector, records[4]!, 0, 4);
    expect(detector.sweep(records, 10_000)).toBe(false);
  });

  it('does not take a stray failure among clean peers for an outlier', () => {
    const clean = new Array<number>(9).fill(1);
    // One in a thousand, 3 σ between ten backends. Four are not enough either, five are.
    expect(ejectedOf([...clean, 0.999], 1_000)).toEqual([]);
    expect(ejectedOf([...clean, 0.996], 1_000)).toEqual([]);
    expect(ejectedOf([...clean, 0.995], 1_000)).toEqual([9]);
  });

  it('leaves a fleet alone in which all fail now and then', () => {
    const random = new SeededRandom(1);
    for (const [total, requests, share] of [
      [10, 1_000, 0.01],
      [100, 100, 0.001],
      [20, 5_000, 0.05],
    ] as const) {
      const records = makeRecords(total);
      const detector = started(records);
      let ejected = 0;
      for (let interval = 1; interval <= 30; interval++) {
        for (const record of records) {
          for (let request = 0; request < requests; request++) {
            if (random.next() < share) record.failures++;
            else record.successes++;
          }
        }
        if (detector.sweep(records, interval * 10_000)) ejected++;
      }
      expect(ejected).toBe(0);
    }
  });

  it('expects of one the bursts that the others have', () => {
    /** 500 requests of each in an interval; the failures of `bursts` in rows of twelve, those of `strays` one by one. */
    const ejectedAfter = (failures: readonly { bursts?: number; strays?: number }[]) => {
      const { detector, records } = counted(
        failures.map(() => 1),
        0,
      );
      for (const [at, { bursts = 0, strays = 0 }] of failures.entries()) {
        const parts = bursts + strays;
        for (let part = 0; part < parts; part++) {
          count(detector, records[at]!, Math.ceil(440 / parts), part < bursts ? 12 : 1);
        }
        if (parts === 0) count(detector, records[at]!, 500, 0);
      }
      detector.sweep(records, 10_000);
      return records.flatMap((record, index) => (record.isEjected ? [index] : []));
    };
    const one = { bursts: 1 };
    const none = {};
    // 36 failures where 9 are expected: three bursts against one here and there. As many by themselves are nine too many.
    expect(ejectedAfter([one, one, one, none, none, { bursts: 3 }])).toEqual([]);
    expect(
      ejectedAfter([{ strays: 12 }, { strays: 12 }, { strays: 12 }, none, none, { strays: 36 }]),
    ).toEqual([5]);
    // Among clean peers three bursts are what they look like.
    expect(ejectedAfter([none, none, none, none, none, { bursts: 3 }])).toEqual([5]);
  });

  it('takes the worst first when not all may be ejected', () => {
    const { detector, records } = counted(new Array<number>(16).fill(1));
    const [bad, worse] = makeRecords(2);
    records.splice(3, 0, bad!);
    records.splice(11, 0, worse!);
    // One by one: long rows of two that are bad would be expected of each other.
    for (let i = 0; i < 50; i++) count(detector, bad!, 1, 1);
    for (let i = 0; i < 20; i++) count(detector, worse!, 1, 4);
    expect(detector.sweep(records, 10_000)).toBe(true);
    expect([bad!.isEjected, worse!.isEjected]).toEqual([false, true]);
  });

  it('does not compare with those that are ejected already', () => {
    const { detector, records } = counted([1, 1, 1, 1, 0.6, ...new Array<number>(15).fill(1), 0]);
    // Left in, the dead one widens σ from 0.087 to 0.23: threshold 0.5 instead of 0.81.
    expect(detector.tryEject(records[20]!, records, 5_000)).toBe(true);
    expect(detector.sweep(records, 10_000)).toBe(true);
    expect(records[4]!.isEjected).toBe(true);
  });

  it('never ejects one among equals, however strict', () => {
    const sizes = { successes: fc.integer({ min: 0, max: 300 }), failures: fc.integer({ min: 0, max: 300 }) };
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 40 }), sizes.successes, sizes.failures, (total, good, bad) => {
        const records = makeRecords(total);
        const detector = started(records, {
          successRate: { stdevFactor: 0, minimumFailures: 1, significance: 0 },
          failureShare: { minimumRequests: 1_000_000 },
        });
        for (const record of records) Object.assign(record, { successes: good, failures: bad });
        expect(detector.sweep(records, 10_000)).toBe(false);
      }),
      // 103 × (1 / 103) is less than 1.
      { examples: [[5, 102, 1]] },
    );
  });
});

describe('failure share', () => {
  const isEjectedAfter = (successes: number, failures: number, total = 1, minimumBackends = 1) => {
    const records = makeRecords(total);
    const detector = started(records, { failureShare: { minimumBackends } });
    count(detector, records[0]!, successes, failures);
    detector.sweep(records, 10_000);
    return records[0]!.isEjected;
  };

  it('ejects from 85 % of at least 50 requests on, one backend looked at alone', () => {
    expect(isEjectedAfter(15, 85)).toBe(true);
    expect(isEjectedAfter(16, 84)).toBe(false);
    expect(isEjectedAfter(0, 50)).toBe(true);
    expect(isEjectedAfter(0, 49)).toBe(false);
  });

  it('leaves one alone that fails as much as the others do', () => {
    const ejectedAmong = (othersSuccesses: number) => {
      const records = makeRecords(4);
      const detector = started(records);
      for (const record of records.slice(1)) count(detector, record, othersSuccesses, 100 - othersSuccesses);
      count(detector, records[0]!, 5, 95);
      return detector.sweep(records, 10_000) && records[0]!.isEjected;
    };
    expect(ejectedAmong(10)).toBe(false);
    expect(ejectedAmong(99)).toBe(true);
  });

  it('ejects nobody where all fail all', () => {
    const records = makeRecords(4);
    const detector = started(records);
    for (const record of records) count(detector, record, 0, 100);
    expect(detector.sweep(records, 10_000)).toBe(false);
  });

  it('sees one that is dead among others that fail every other request', () => {
    const records = makeRecords(4);
    const detector = started(records);
    for (const record of records.slice(1)) strew(detector, record, 50, 50);
    // 90 where 50 are expected of it: 8 σ of 100 tosses of a coin.
    strew(detector, records[0]!, 10, 90);
    expect(detector.sweep(records, 10_000)).toBe(true);
    expect(records.map((record) => record.isEjected)).toEqual([true, false, false, false]);
  });

  it('is not fooled by rounding: 0.55 × 100 is 55.00000000000001', () => {
    const records = makeRecords(1);
    const detector = started(records, { failureShare: { threshold: 0.55 } });
    count(detector, records[0]!, 45, 55);
    expect(detector.sweep(records, 10_000)).toBe(true);
  });

  it('may ask for several backends that had enough', () => {
    expect(isEjectedAfter(0, 100, 5, 2)).toBe(false);
  });
});

describe('intervals', () => {
  it('begin with the first sweep, which judges nothing', () => {
    const records = makeRecords(1);
    const detector = new OutlierDetector();
    count(detector, records[0]!, 0, 100);
    expect(detector.dueMs).toBe(Number.NEGATIVE_INFINITY);
    expect(detector.sweep(records, 777)).toBe(false);
    expect(detector.dueMs).toBe(10_777);
    expect(records[0]!.requests).toBe(0);
  });

  it('judge only what came since the last', () => {
    const records = makeRecords(1);
    const detector = started(records);
    count(detector, records[0]!, 0, 49);
    expect(detector.sweep(records, 10_000)).toBe(false);
    count(detector, records[0]!, 0, 49);
    expect(detector.sweep(records, 15_000)).toBe(false);
    expect(records[0]!.requests).toBe(49);
    expect(detector.sweep(records, 20_000)).toBe(false);
    count(detector, records[0]!, 0, 50);
    expect(detector.sweep(records, 30_000)).toBe(true);
  });

  it('forget by the clock: nothing from before an idle hour ejects, and old ejections no longer count', () => {
    const records = makeRecords(2);
    const detector = started(records);
    records[1]!.ejections = 10;
    count(detector, records[0]!, 0, 100);
    expect(detector.sweep(records, 3_600_000)).toBe(false);
    expect(records[0]).toMatchObject({ isEjected: false, requests: 0 });
    expect(records[1]!.ejections).toBe(0);
    expect(detector.dueMs).toBe(3_610_000);
  });

  it('may end late, but by less than another interval', () => {
    const ejectedAt = (now: number) => {
      const records = makeRecords(1);
      const detector = started(records);
      count(detector, records[0]!, 0, 100);
      return detector.sweep(records, now);
    };
    expect(ejectedAt(19_999)).toBe(true);
    expect(ejectedAt(20_000)).toBe(false);
  });

  it('never eject more than the share, whatever happens, and everyone comes back', () => {
    const event = fc.record({
      backend: fc.nat({ max: 11 }),
      succeeded: fc.boolean(),
      times: fc.integer({ min: 1, max: 120 }),
      passMs: fc.integer({ min: 0, max: 9_000 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const records = makeRecords(12);
        const detector = started(records, { maxEjectedShare: 0.25 });
        let now = 0;
        for (const { backend, succeeded, times, passMs } of events) {
          now += passMs;
          if (now >= detector.dueMs) detector.sweep(records, now);
          for (let i = 0; i < times; i++) {
            const record = records[backend]!;
            if (detector.observe(record, succeeded)) detector.tryEject(record, records, now);
          }
          expect(records.filter((record) => record.isEjected).length).toBeLessThanOrEqual(3);
          for (const { isEjected, ejectedUntilMs } of records) {
            if (isEjected) expect(detector.dueMs).toBeLessThanOrEqual(ejectedUntilMs);
          }
        }
        detector.sweep(records, now + 300_000);
        expect(records.some((record) => record.isEjected)).toBe(false);
      }),
    );
  });
});
