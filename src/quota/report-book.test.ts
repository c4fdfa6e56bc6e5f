import { beforeEach, describe, expect, it } from 'vitest';
import { QuotaCoordinator, QuotaMember } from '../core/index.js';
import { encodeReportNames, encodeReportValues } from '../wire/index.js';
import { DROP_MS, ReportBook } from './report-book.js';

const LIMITS = { everyoneElse: { perSecond: 5 } };

let coordinator: QuotaCoordinator;
let book: ReportBook;

beforeEach(() => {
  coordinator = new QuotaCoordinator(LIMITS);
  coordinator.begin(1, 0, 0);
  book = new ReportBook(coordinator);
});

/** What a backend says that has served these. */
function reportOf(...customers: string[]) {
  const member = new QuotaMember(LIMITS);
  for (const customer of customers) {
    member.enforcement.admit(customer, 'CRITICAL', 0.5, 0);
    member.enforcement.charge(customer, 'CRITICAL', 1, 0);
  }
  const report = member.report(250);
  return { values: encodeReportValues(report), names: encodeReportNames(report) };
}

const rowOf = (backend: string, values: Uint8Array) => ({ backend, ageMs: 10, values });
const heard = () => coordinator.snapshot(0).backends;

describe('ReportBook', () => {
  it('wants the names of who is new, and passes its report on with them', () => {
    const { values, names } = reportOf('gmail');
    book.read([rowOf('a', values)], 0);
    expect(book.wanted).toEqual(['a']);
    expect(heard()).toBe(0);
    book.learn([names], 5);
    expect(heard()).toBe(1);
    expect(book.wanted).toEqual([]);
    book.read([rowOf('a', values)], 250);
    expect(book.wanted).toEqual([]);
    expect(book.unreadable).toBe(0);
  });

  it('goes on without those whose names are not there, or of another report', () => {
    const { values } = reportOf('gmail');
    const other = reportOf('gmail', 'calendar', 'android');
    book.read([rowOf('a', values), rowOf('b', other.values)], 0);
    expect(book.wanted).toEqual(['a', 'b']);
    book.learn([undefined, other.names], 5);
    expect(heard()).toBe(1);
    expect(book.wanted).toEqual([]);
    // Names did not come at all: whoever waited for them is not asked for twice.
    book.read([rowOf('a', values)], 250);
    book.read([rowOf('a', values)], 500);
    expect(book.wanted).toEqual(['a']);
  });

  it('counts what it cannot read', () => {
    book.read([rowOf('a', Uint8Array.of(1, 2, 3)), rowOf('b', new Uint8Array())], 0);
    expect(book.unreadable).toBe(2);
    const { values } = reportOf('gmail');
    book.read([rowOf('c', values)], 0);
    book.learn([Uint8Array.of(9)], 0);
    expect(heard()).toBe(0);
    expect(book.unreadable).toBeGreaterThanOrEqual(2);
  });

  it('forgets the names of who is silent', () => {
    const { values, names } = reportOf('gmail');
    book.read([rowOf('a', values), rowOf('b', values)], 0);
    book.learn([names, names], 0);
    book.read([rowOf('b', values)], DROP_MS);
    book.forgetSilent(DROP_MS + 1);
    book.read([rowOf('a', values), rowOf('b', values)], DROP_MS + 2);
    expect(book.wanted).toEqual(['a']);
  });

  it('stays bounded, however many come', () => {
    const garbage = Uint8Array.of(1);
    const rows = Array.from({ length: 10_001 }, (_, i) => rowOf(`b${i}`, garbage));
    book.read(rows, 0);
    expect(book.unreadable).toBe(10_001);
    const { values } = reportOf('gmail');
    book.read([rowOf('b10000', values), rowOf('b9999', values)], 0);
    expect(book.wanted).toEqual(['b9999']);
  });
});
