import { describe, expect, it } from 'vitest';
import { burstOf, QuotaDebts } from './quota-debts.js';

const { POSITIVE_INFINITY } = Number;
const OPTIONS = { burstMs: 2_000, repayMs: 4_000, maxDebtMs: 60_000 };
/** 100 in all, 40 of it for the sheddable ones. */
const LIMITS = [POSITIVE_INFINITY, 40, POSITIVE_INFINITY, 100];
const SLOT = 0.1;
const [SHEDDABLE, SHEDDABLE_PLUS, CRITICAL, CRITICAL_PLUS] = [0, 1, 2, 3] as const;

function debts(options = OPTIONS): QuotaDebts {
  return new QuotaDebts(options, SLOT, LIMITS);
}

describe('QuotaDebts', () => {
  it('begins with all saved up, which may be spent in one slot', () => {
    const fresh = debts();
    expect(fresh.total).toBe(-200);
    expect(fresh.allowance(CRITICAL_PLUS, SHEDDABLE, 100)).toBeCloseTo(100 + 200 / SLOT, 9);
    expect(fresh.allowance(SHEDDABLE_PLUS, SHEDDABLE, 40)).toBeCloseTo(40 + 80 / SLOT, 9);
  });

  it('saves up no more than that', () => {
    const idle = debts();
    idle.settle([0, 0, 0, 0], 3_600, LIMITS);
    expect(idle.total).toBe(-200);
  });

  it('is paid back over a time', () => {
    const owing = debts();
    owing.settle([0, 0, 0, 420], 0.2, LIMITS);
    // −200 + 420 − 20
    expect(owing.total).toBeCloseTo(200, 9);
    expect(owing.allowance(CRITICAL_PLUS, CRITICAL_PLUS, 100)).toBeCloseTo(100 - 200 / 4, 9);
  });

  it('is written off beyond a bound', () => {
    const owing = debts();
    owing.settle([0, 0, 0, 1e9], 1, LIMITS);
    expect(owing.total).toBe(6_000);
    owing.settle([0, 0, 0, 0], 62, LIMITS);
    expect(owing.total).toBe(-200);
  });

  it('is owed by a criticality and the lower ones, not by those above', () => {
    const owing = debts();
    owing.settle([0, 0, 500, 0], 1, LIMITS);
    const [sheddable, critical, plus] = [SHEDDABLE, CRITICAL, CRITICAL_PLUS].map((rank) =>
      owing.allowance(CRITICAL_PLUS, rank, 100),
    );
    // −200 + 500 − 100 = 200 owed
    expect(sheddable).toBeCloseTo(50, 9);
    expect(critical).toBeCloseTo(50, 9);
    expect(plus).toBeCloseTo(100 + 200 / SLOT, 9);
  });

  it('counts only those for whom a limit holds', () => {
    const owing = debts();
    owing.settle([10, 100, 1_000, 1_000], 1, LIMITS);
    // −80 + 110 − 40 = −10, and for SHEDDABLE_PLUS alone −80 + 100 − 40 = −20
    expect(owing.allowance(SHEDDABLE_PLUS, SHEDDABLE, 40)).toBeCloseTo(40 + 10 / SLOT, 9);
    expect(owing.allowance(SHEDDABLE_PLUS, SHEDDABLE_PLUS, 40)).toBeCloseTo(40 + 20 / SLOT, 9);
  });

  it('knows neither debts nor savings where there is no limit', () => {
    const owing = debts();
    const unlimited = new Array(4).fill(POSITIVE_INFINITY);
    owing.settle([0, 0, 0, 1e9], 1, LIMITS);
    owing.settle([0, 0, 0, 1e9], 1, unlimited);
    expect(owing.total).toBe(0);
    owing.settle([0, 0, 0, 0], 1, LIMITS);
    expect(owing.total).toBe(-100);
  });

  it('is cleared of one limit, and not of others', () => {
    const owing = debts();
    owing.settle([500, 0, 0, 0], 1, LIMITS);
    owing.clear(CRITICAL_PLUS);
    expect(owing.total).toBe(0);
    expect(owing.allowance(CRITICAL_PLUS, SHEDDABLE, 100)).toBe(100);
    // −80 + 500 − 40 = 380 owed
    expect(owing.allowance(SHEDDABLE_PLUS, SHEDDABLE, 40)).toBeCloseTo(40 - 380 / 4, 9);
  });

  it('may save up nothing at all', () => {
    const strict = debts({ ...OPTIONS, burstMs: 0 });
    expect(strict.allowance(CRITICAL_PLUS, SHEDDABLE, 100)).toBe(100);
    strict.settle([0, 0, 0, 0], 10, LIMITS);
    expect(strict.allowance(CRITICAL_PLUS, SHEDDABLE, 100)).toBe(100);
  });

  it('carries the part that is saved up over to other limits', () => {
    const moving = debts();
    moving.settle([150, 0, 0, 0], 0, LIMITS);
    expect(moving.savedPart(LIMITS)).toBeCloseTo(0.25, 9);
    const others = [POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, 10];
    moving.forget(others, 4_000, moving.savedPart(LIMITS));
    expect(moving.total).toBeCloseTo(-10, 9);
    moving.settle([1_000, 0, 0, 0], 0, others);
    expect(moving.savedPart(others)).toBe(0);
    // Nothing that could be lost.
    expect(
      moving.savedPart([POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY, POSITIVE_INFINITY]),
    ).toBe(1);
    expect(moving.savedPart([0, 0, 0, 0])).toBe(1);
  });
});

describe('burstOf', () => {
  const SAVINGS = { burstMs: 5_000, requests: 10, mostMs: 30_000 };

  it.each([
    // A limit of 100 a second; 10 requests take 2 s, 20 s, 200 s of it.
    [100, 20, 5_000],
    [100, 200, 20_000],
    [100, 2_000, 30_000],
    [POSITIVE_INFINITY, 2_000, 5_000],
    // Nothing is saved up of it anyway, whether it is known what a request costs or not.
    [0, 20, 5_000],
    [0, 0, 5_000],
  ])('of a limit of %s, in requests of %s, is %s', (limit, cost, burstMs) => {
    expect(burstOf(SAVINGS, [...LIMITS.slice(0, 3), limit], cost)).toBe(burstMs);
  });
});
