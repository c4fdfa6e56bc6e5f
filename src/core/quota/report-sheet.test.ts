import { describe, expect, it } from 'vitest';
import type { QuotaAccount } from './quota-account.js';
import { ReportSheet } from './report-sheet.js';
import { DEMAND_AT, REPORT_STRIDE } from './usage-report.js';

const CRITICAL = 2;
const SOMEBODY = {} as QuotaAccount;

interface Said {
  readonly used: number;
  readonly demand: number;
  readonly wasRefused: boolean;
}

/** By row, of what is critical. */
function reported(sheet: ReportSheet, now: number, row = 1): Said {
  const rates = new Float32Array(4 * REPORT_STRIDE);
  const refused = new Uint8Array(4);
  sheet.roll(now);
  sheet.addTo(rates, refused, now);
  const at = row * REPORT_STRIDE + CRITICAL;
  return { used: rates[at]!, demand: rates[at + DEMAND_AT]!, wasRefused: refused[row] === 1 };
}

/** With one account, which has row 1. */
function sheetWithOne(): { sheet: ReportSheet; seat: number } {
  const sheet = new ReportSheet(100, 500);
  const seat = sheet.take(SOMEBODY, 0);
  sheet.rows[seat] = 1;
  return { sheet, seat };
}

describe('ReportSheet', () => {
  it.each([100, 250, 240])('reports use as a mean, demand as a decaying one, each %d ms', (everyMs) => {
    const { sheet, seat } = sheetWithOne();
    for (let now = 0; now < 12_000; now += 10) {
      if (now > 0 && now % everyMs === 0) reported(sheet, now);
      sheet.use(seat, CRITICAL, 0.5);
      sheet.refuse(seat, CRITICAL, 1.5);
    }
    const steady = reported(sheet, 12_000);
    expect(steady.used).toBeCloseTo(50, 3);
    expect(steady.demand).toBeCloseTo(200, 3);
    expect(steady.wasRefused).toBe(true);
    const later = reported(sheet, 12_000 + 500);
    expect(later).toMatchObject({ used: 0, wasRefused: false });
    // Nothing in the half second that has passed, which weighs less in a mean over shorter times before it.
    expect(later.demand).toBeLessThan(200 / 1.5);
    expect(later.demand).toBeGreaterThan(200 / 4);
  });

  it('goes on with its time when somebody comes whose slot began before the last report', () => {
    const { sheet, seat } = sheetWithOne();
    reported(sheet, 1_000);
    sheet.take(SOMEBODY, 900);
    sheet.use(seat, CRITICAL, 20);
    expect(reported(sheet, 1_200).used).toBeCloseTo(100, 3);
  });

  it('sees a demand that grows as fast, whether or not there are reports meanwhile', () => {
    const demandAfter = (isReporting: boolean) => {
      const { sheet, seat } = sheetWithOne();
      for (let now = 0; now < 11_000; now += 10) {
        if (now % 250 === 0) isReporting ? reported(sheet, now) : sheet.roll(now);
        sheet.use(seat, CRITICAL, now < 10_000 ? 0.08 : 2);
      }
      return reported(sheet, 11_000).demand;
    };
    // From 8 to 200 a second: 86 % of it after twice the time of decay.
    expect(demandAfter(true)).toBeCloseTo(8 + 192 * (1 - Math.exp(-2)), 0);
    expect(demandAfter(false)).toBeCloseTo(demandAfter(true), 9);
  });

  it('does not believe at once in one that has just begun', () => {
    const { sheet, seat } = sheetWithOne();
    sheet.use(seat, CRITICAL, 1);
    const { used, demand } = reported(sheet, 1);
    expect(used).toBe(10);
    expect(demand).toBeLessThan(2.1);
    // Nothing in the 50 ms since: it was wanted in half a second, the time of decay, and that.
    expect(reported(sheet, 50).demand).toBeCloseTo(1 / 0.55, 5);
  });

  it('is zero after an idle hour', () => {
    const { sheet, seat } = sheetWithOne();
    sheet.use(seat, CRITICAL, 5);
    reported(sheet, 100);
    expect(sheet.isActive(seat)).toBe(true);
    sheet.roll(3_600_000);
    expect(sheet.isActive(seat)).toBe(false);
    expect(reported(sheet, 3_600_000)).toEqual({ used: 0, demand: 0, wasRefused: false });
  });

  it('reports what was used also when there was no report for an hour', () => {
    const { sheet, seat } = sheetWithOne();
    sheet.use(seat, CRITICAL, 36);
    for (let now = 0; now <= 3_600_000; now += 60_000) sheet.roll(now);
    expect(sheet.demandOf(seat)).toBe(0);
    expect(sheet.isActive(seat)).toBe(true);
    expect(reported(sheet, 3_600_000).used).toBeCloseTo(0.01, 9);
    expect(sheet.isActive(seat)).toBe(false);
  });

  it('does not go below zero for what cost less than was assumed', () => {
    const { sheet, seat } = sheetWithOne();
    sheet.use(seat, CRITICAL, -5);
    expect(sheet.demandOf(seat)).toBe(0);
    expect(reported(sheet, 100)).toEqual({ used: 0, demand: 0, wasRefused: false });
  });

  it('says nothing of refusals whose cost nobody knows', () => {
    const { sheet, seat } = sheetWithOne();
    sheet.refuse(seat, CRITICAL, 0);
    expect(sheet.isActive(seat)).toBe(false);
    expect(reported(sheet, 100).wasRefused).toBe(false);
  });

  it('adds up those without a row in row 0, which refuses nobody', () => {
    const { sheet } = sheetWithOne();
    for (let name = 0; name < 3; name++) {
      const seat = sheet.take(SOMEBODY, 0);
      sheet.use(seat, CRITICAL, 1);
      sheet.refuse(seat, CRITICAL, 1);
    }
    expect(reported(sheet, 100, 0)).toMatchObject({ used: 30, wasRefused: false });
  });

  it('gives a seat that was left to another, with nothing of the one before', () => {
    const { sheet, seat } = sheetWithOne();
    sheet.use(seat, CRITICAL, 5);
    sheet.refuse(seat, CRITICAL, 5);
    sheet.leave(seat);
    expect([sheet.isActive(seat), sheet.accounts[seat]]).toEqual([false, undefined]);
    expect(sheet.take(SOMEBODY, 50)).toBe(seat);
    expect(sheet.rows[seat]).toBe(0);
    expect(reported(sheet, 100)).toEqual({ used: 0, demand: 0, wasRefused: false });
  });

  it('keeps seats apart', () => {
    const { sheet, seat } = sheetWithOne();
    const [second, third] = [sheet.take(SOMEBODY, 0), sheet.take(SOMEBODY, 0)];
    sheet.use(second, 0, 1);
    sheet.refuse(second, CRITICAL, 2);
    sheet.refuse(third, CRITICAL, 4);
    sheet.use(third, CRITICAL, 8);
    const seats = [seat, second, third];
    expect(seats.map((each) => sheet.demandOf(each))).toEqual([0, 3, 12]);
    expect(seats.map((each) => sheet.isActive(each))).toEqual([false, true, true]);
    sheet.use(seat, CRITICAL, 16);
    sheet.leave(second);
    expect(seats.map((each) => sheet.demandOf(each))).toEqual([16, 0, 12]);
    expect(seats.map((each) => sheet.isActive(each))).toEqual([true, false, true]);
    expect(reported(sheet, 1_000)).toMatchObject({ used: 16 });
  });

  it('grows, and keeps what it knows', () => {
    const { sheet, seat } = sheetWithOne();
    sheet.use(seat, CRITICAL, 5);
    sheet.refuse(seat, CRITICAL, 5);
    for (let name = 0; name < 1_000; name++) sheet.take(SOMEBODY, 0);
    expect(reported(sheet, 100)).toMatchObject({ used: 50, wasRefused: true });
  });
});
