import { describe, expect, it } from 'vitest';
import { QuotaMember, type QuotaMemberOptions } from './quota-member.js';
import { DEMAND_AT, REPORT_STRIDE, type UsageReport } from './usage-report.js';

const LIMITS = { customers: [{ customer: 'named', perSecond: 5 }], everyoneElse: { perSecond: 1e9 } };
const CRITICAL = 2;

function member(options?: Partial<QuotaMemberOptions>): QuotaMember {
  return new QuotaMember(LIMITS, options);
}

function use({ enforcement }: QuotaMember, customer: string, cost: number, now: number): void {
  enforcement.admit(customer, 'CRITICAL', 0.5, now);
  enforcement.charge(customer, 'CRITICAL', cost, now);
}

/** Use and demand a second, by name; of everyone else under ''. */
function rowsOf({ names, rates, count }: UsageReport): Record<string, number[]> {
  expect(names).toHaveLength(count);
  expect(new Set(names).size).toBe(count);
  expect(rates.subarray(0, count * REPORT_STRIDE).every((rate) => rate >= 0 && rate < Infinity)).toBe(true);
  return Object.fromEntries(
    names.map((name, row) => {
      const at = row * REPORT_STRIDE + CRITICAL;
      return [name ?? '', [rates[at]!, rates[at + DEMAND_AT]!]];
    }),
  );
}

describe('ReportRows', () => {
  it('has a row for those without one, also when nobody has come yet', () => {
    const backend = member();
    expect(backend.report(100)).toMatchObject({ count: 1, names: [undefined] });
    expect(rowsOf(backend.report(200))).toEqual({ '': [0, 0] });
  });

  it('has a row for each customer, and names that stay the same while nobody joins', () => {
    const backend = member();
    use(backend, 'a', 1, 0);
    use(backend, 'b', 2, 0);
    const first = backend.report(100);
    const { names, namesVersion } = first;
    expect(names).toEqual([undefined, 'a', 'b']);
    expect(rowsOf(first)).toMatchObject({ a: [10, expect.any(Number)], b: [20, expect.any(Number)] });
    use(backend, 'a', 1, 200);
    expect(backend.report(350)).toMatchObject({ namesVersion });
    expect(backend.report(350).names).toBe(names);
    use(backend, 'c', 1, 400);
    const later = backend.report(600);
    expect(later.names).toEqual([undefined, 'a', 'b', 'c']);
    expect(later.namesVersion).not.toBe(namesVersion);
    // Also when it is time to choose anew.
    const known = later.names;
    for (let now = 1_000; now < 4_000; now += 250) expect(backend.report(now).names).toBe(known);
  });

  it('gives a row at once to each who comes, however many have one', () => {
    const backend = member();
    for (let count = 1; count <= 140; count++) {
      const now = count * 150;
      for (let name = 1; name <= count; name++) use(backend, `name-${name}`, name, now);
      const rows = rowsOf(backend.report(now + 100));
      expect(Object.keys(rows)).toHaveLength(count + 1);
      // There is a report each 150 ms.
      for (const name of [1, count]) expect(rows[`name-${name}`]![0]).toBeCloseTo(name / 0.15, 2);
    }
  });

  it('chooses anew at most once a second, though another wants far more', () => {
    const backend = member({ maxReported: 1 });
    use(backend, 'first', 1, 0);
    expect(backend.report(100).names).toEqual([undefined, 'first']);
    const namesAt = (now: number) => {
      use(backend, 'second', 50, now - 100);
      return backend.report(now).names;
    };
    for (const now of [300, 600, 900]) expect(namesAt(now)).toEqual([undefined, 'first']);
    expect(namesAt(1_200)).toEqual([undefined, 'second']);
  });

  it('adds up those without a row by criticality, each by itself', () => {
    const backend = member({ maxReported: 1 });
    use(backend, 'large', 100, 0);
    backend.report(100);
    for (const [customer, criticality] of [
      ['a', 'SHEDDABLE'],
      ['b', 'CRITICAL'],
    ] as const) {
      backend.enforcement.admit(customer, criticality, 0.5, 200);
      backend.enforcement.charge(customer, criticality, 1, 200);
    }
    const { names, rates } = backend.report(300);
    expect(names).toEqual([undefined, 'large']);
    // One each in 200 ms.
    expect([...rates.subarray(0, DEMAND_AT)]).toEqual([5, 0, 5, 0]);
  });

  it('has the same version for the same names only', () => {
    const versions = [['a', 'b'], ['b', 'a'], ['ab'], ['a', 'b', 'c'], ['', 'ab']].map((names) => {
      const backend = member();
      for (const name of names) use(backend, name, 1, 0);
      return backend.report(100).namesVersion;
    });
    expect(new Set(versions).size).toBe(5);
    const again = member();
    for (const name of ['a', 'b']) use(again, name, 1, 0);
    expect(again.report(100).namesVersion).toBe(versions[0]);
  });

  it('grows, and drops who is gone for long', () => {
    const backend = member();
    for (let name = 0; name < 200; name++) use(backend, `name-${name}`, 1, 0);
    const rows = rowsOf(backend.report(100));
    expect(Object.keys(rows)).toHaveLength(201);
    expect(rows['name-199']![0]).toBeCloseTo(10, 5);
    for (let now = 1_000; now < 120_000; now += 1_000) {
      use(backend, 'a', 1, now);
      backend.report(now + 100);
    }
    expect(backend.report(121_000).names).toEqual([undefined, 'a']);
  });

  it('says who was refused something', () => {
    const backend = member();
    for (let now = 0; now < 5_000; now += 10) {
      use(backend, 'a', 1, now);
      if (backend.enforcement.admit('named', 'CRITICAL', 0.1, now) === 'admit')
        backend.enforcement.charge('named', 'CRITICAL', 1, now);
    }
    const { names, refused } = backend.report(5_000);
    expect(names.toSorted()).toEqual(['a', 'named', undefined]);
    expect(names.filter((_, row) => refused[row] === 1)).toEqual(['named']);
  });

  it('gives rows to the largest, to those with limits of their own and to the restrained; the rest is one row', () => {
    const backend = member({ maxReported: 3 });
    for (let now = 0; now < 4_000; now += 100) {
      if (now % 200 === 0) backend.report(now);
      for (let name = 0; name < 10; name++) use(backend, `name-${name}`, ((name * 7) % 10) + 1, now);
      use(backend, 'named', 0.01, now);
      use(backend, 'held', 0.01, now);
      if (now === 2_000)
        backend.enforcement.restrain(new Map([['held', { rank: 0, level: 5, top: 3, share: 5 }]]));
    }
    const rows = rowsOf(backend.report(4_000));
    expect(Object.keys(rows).sort()).toEqual(['', 'held', 'name-1', 'name-4', 'name-7', 'named']);
    // 1 + … + 7, ten times a second.
    expect(rows['']![0]).toBeCloseTo(280, 3);
    expect(Math.abs(rows['']![1]! - 280)).toBeLessThan(10);
  });

  it('fills all places where many want the same, and does not shuffle them', () => {
    const backend = member({ maxReported: 3 });
    const versions = new Set<number>();
    for (let now = 0; now < 10_000; now += 100) {
      for (let name = 0; name < 10; name++) use(backend, `name-${name}`, 1 + (now % 300) / 1_000, now);
      const { count, namesVersion } = backend.report(now + 50);
      if (now === 0) continue;
      expect(count).toBe(4);
      versions.add(namesVersion);
    }
    expect(versions.size).toBeLessThanOrEqual(2);
  });

  it('has no more rows where some of those are equal that have to do without', () => {
    const backend = member({ maxReported: 3 });
    for (let name = 0; name < 10; name++) use(backend, `name-${name}`, name === 6 ? 5 : 1, 0);
    expect(Object.keys(rowsOf(backend.report(100)))).toEqual(['', 'name-6', 'name-0', 'name-1']);
  });

  it('counts those who were forgotten', () => {
    const backend = member({ maxCustomers: 2 });
    for (let now = 0; now < 10_000; now += 10) use(backend, `name-${now}`, 1, now);
    const rows = rowsOf(backend.report(10_000));
    expect(Math.abs(rows['']![0]! - 100)).toBeLessThan(10);
  });

  it('does not let anybody hide: without a row there is less than one part in maxReported of the use', () => {
    const backend = member({ maxReported: 100 });
    for (let now = 0; now < 6_000; now += 100) {
      for (let name = 0; name < 1_000; name++) use(backend, `stranger-${name}`, 0.01, now);
      // Twice a hundredth of the 100 a second that all use together.
      use(backend, 'offender', 0.21, now);
      if (now % 500 === 0) backend.report(now);
    }
    expect(backend.report(6_000).names).toContain('offender');
  });

  it('leaves a row to who has it until another wants twice as much, and counts what the rest want', () => {
    const backend = member({ maxReported: 1 });
    const run = (from: number, to: number, costs: Record<string, number>) => {
      for (let now = from; now < to; now += 100) {
        if (now % 200 === 0) backend.report(now);
        for (const [name, cost] of Object.entries(costs)) use(backend, name, cost, now);
      }
      return rowsOf(backend.report(to));
    };
    run(0, 1_000, { first: 1 });
    const before = run(1_000, 5_000, { first: 1, second: 1.8 });
    expect(Object.keys(before)).toEqual(['', 'first']);
    expect(before['']![1]).toBeCloseTo(18, 0);
    const after = run(5_000, 9_000, { first: 1, second: 2.4 });
    expect(Object.keys(after)).toEqual(['', 'second']);
    expect(after['']![1]).toBeCloseTo(10, 0);
  });

  it('counts what the forgotten used, and that they wanted it', () => {
    const backend = member({ maxCustomers: 1 });
    use(backend, 'first', 50, 0);
    use(backend, 'second', 1, 0);
    const rest = rowsOf(backend.report(100))['']!;
    expect(rest[0]).toBeGreaterThan(1);
    expect(rest[1]).toBe(rest[0]);
  });
});
