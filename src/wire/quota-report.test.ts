import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REPORT_STRIDE, type UsageReport } from '../core/index.js';
import { UNMETERED } from './customer-name.js';
import { encodeReportNames, encodeReportValues, ReportDecoder } from './quota-report.js';

function report(
  names: readonly (string | undefined)[],
  rates: readonly number[],
  namesVersion = 7,
): UsageReport {
  const count = names.length;
  const padded = new Float32Array((count + 3) * REPORT_STRIDE);
  padded.set(rates.slice(0, count * REPORT_STRIDE));
  const refused = Uint8Array.from(names, (_, row) => row % 2);
  return { names, namesVersion, count, rates: padded, refused, isSuspended: count % 2 === 1 };
}

function plain(decoded: UsageReport) {
  const { names, namesVersion, count, rates, refused, isSuspended } = decoded;
  const rows = [...rates.subarray(0, count * REPORT_STRIDE)];
  return { names, namesVersion, count, rows, refused: [...refused.subarray(0, count)], isSuspended };
}

const name = fc.oneof(
  fc.constantFrom(undefined, '', 'gmail', 'Zoë & co', 'a b', '100%', UNMETERED),
  fc.string({ maxLength: 12, unit: 'grapheme-ascii' }),
);
const rate = fc.oneof(
  fc.constant(0),
  fc.float({ min: 0, max: Math.fround(1e30), noNaN: true }).map(Math.abs),
);

describe('quota reports', () => {
  it('are the same after the journey', () => {
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 20 }),
        fc.array(rate, { maxLength: 200 }),
        fc.nat(),
        (names, rates, version) => {
          const sent = report(names, rates, version);
          const decoded = new ReportDecoder().decode(encodeReportValues(sent), encodeReportNames(sent));
          expect(plain(decoded as UsageReport)).toEqual(plain(sent));
        },
      ),
    );
  });

  it('carry names only when they have changed', () => {
    const decoder = new ReportDecoder();
    expect(decoder.namesVersion).toBeUndefined();
    const first = report([undefined, 'a'], [1, 2], 1);
    expect(decoder.decode(encodeReportValues(first), undefined)).toBe('names-needed');
    const { names } = decoder.decode(encodeReportValues(first), encodeReportNames(first)) as UsageReport;
    expect(decoder.namesVersion).toBe(1);
    expect((decoder.decode(encodeReportValues(first), undefined) as UsageReport).names).toBe(names);
    const second = report([undefined, 'b'], [1, 2], 2);
    // The names are those of before.
    expect(decoder.decode(encodeReportValues(second), encodeReportNames(first))).toBe('names-needed');
    expect(decoder.decode(encodeReportValues(second), encodeReportNames(second))).toMatchObject({
      names: [undefined, 'b'],
    });
    // The same version with another number of rows is of another backend.
    expect(decoder.decode(encodeReportValues(report([undefined], [], 2)), undefined)).toBe('names-needed');
    expect(decoder.namesVersion).toBeUndefined();
  });

  it('write a name that cannot travel as nobody', () => {
    const sent = report(['x'.repeat(500), 'a\nb', 'fine'], []);
    expect(new ReportDecoder().decode(encodeReportValues(sent), encodeReportNames(sent))).toMatchObject({
      names: [undefined, undefined, 'fine'],
    });
  });

  it('take 5 to 9 bytes for a customer of one criticality', () => {
    const rates = Array.from({ length: 1_000 * REPORT_STRIDE }, (_, at) =>
      at % REPORT_STRIDE === 2 ? 1 : 0,
    );
    const names = Array.from({ length: 1_000 }, (_, index) => `customer-${index}`);
    expect(encodeReportValues(report(names, rates)).length).toBeLessThan(5_200);
  });

  it('do not carry what is no rate', () => {
    const sent = report(['a'], [Number.NaN, -1, Infinity, 5]);
    const decoded = new ReportDecoder().decode(
      encodeReportValues(sent),
      encodeReportNames(sent),
    ) as UsageReport;
    expect([...decoded.rates.subarray(0, 2)]).toEqual([0, 0]);
    expect(Number.isFinite(decoded.rates[2])).toBe(true);
  });

  it('are garbage when they are: no bytes make a decoder throw, or believe a number that is none', () => {
    const sent = report([undefined, 'a', 'b'], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    const [values, names] = [encodeReportValues(sent), encodeReportNames(sent)];
    const damage = fc.record({
      at: fc.nat(200),
      byte: fc.nat(255),
      cut: fc.nat(200),
      more: fc.uint8Array({ maxLength: 9 }),
    });
    const damaged = (
      bytes: Uint8Array,
      { at, byte, cut, more }: { at: number; byte: number; cut: number; more: Uint8Array },
    ) => {
      const copy = Uint8Array.from(bytes);
      copy[at % copy.length] = byte;
      return Uint8Array.from([...copy.subarray(0, cut > 100 ? copy.length : cut), ...more]);
    };
    const check = (one: Uint8Array, other: Uint8Array | undefined) => {
      const decoder = new ReportDecoder();
      decoder.decode(values, names);
      const decoded = decoder.decode(one, other);
      if (typeof decoded !== 'object') return;
      expect(decoded.names).toHaveLength(decoded.count);
      expect(
        decoded.rates
          .subarray(0, decoded.count * REPORT_STRIDE)
          .every((each) => each >= 0 && each < Infinity),
      ).toBe(true);
    };
    fc.assert(
      fc.property(damage, damage, (one, other) => check(damaged(values, one), damaged(names, other))),
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 60 }), check));
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['another version', Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0)],
    ['too many rows', Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 7, 0, 1, 0, 0)],
    ['no masks', Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1)],
    ['no number', Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 1, 0)],
    ['NaN', Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 1, 0, 0x7f, 0xc0, 0, 0)],
    ['less than zero', Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 1, 0, 0xbf, 0x80, 0, 0)],
    ['something after the end', Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0)],
  ])('do not accept %s', (_, values) => {
    const decoder = new ReportDecoder();
    const known = report(['a'], []);
    decoder.decode(encodeReportValues(known), encodeReportNames(known));
    expect(decoder.decode(values, undefined)).toBeUndefined();
  });
});
