import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../core/index.js';
import type { LoadPlan } from './load-plan.js';
import { offeredPerSecond, planRequest } from './request-plan.js';

const PLAN: LoadPlan = { perSecond: 100, costMix: 'even', criticalityMix: 'usual', isMisbehaving: false };

function drawn(plan: LoadPlan, count = 10_000) {
  const seeded = new SeededRandom(7);
  return Array.from({ length: count }, () => planRequest(plan, () => seeded.next()));
}

const shareOf = <T>(all: readonly T[], is: (one: T) => boolean) => all.filter(is).length / all.length;

describe('planRequest', () => {
  it('keeps to the shares of customers, of criticality and of exports', () => {
    const all = drawn(PLAN);
    expect(shareOf(all, ({ customer }) => customer.name === 'B')).toBeCloseTo(0.2, 1);
    expect(shareOf(all, ({ criticality }) => criticality === 'CRITICAL_PLUS')).toBeCloseTo(0.05, 1);
    const exports = all.filter(({ path }) => path.startsWith('/export'));
    expect(exports.every(({ criticality }) => criticality === 'SHEDDABLE_PLUS')).toBe(true);
    expect(exports.length / all.length).toBeCloseTo(0.3 * 0.25, 1);
  });

  it('says how much work it is', () => {
    expect(drawn(PLAN, 1)[0]!.path).toMatch(/^\/(page|export)\?cost=1$/);
    expect(
      shareOf(drawn({ ...PLAN, costMix: 'heavy-tail' }), ({ path }) => path.endsWith('=10')),
    ).toBeCloseTo(0.01, 2);
  });
});

it('adds what somebody sends who misbehaves, and takes nothing from others', () => {
  expect(offeredPerSecond(PLAN)).toBeCloseTo(100, 9);
  const misbehaving = { ...PLAN, isMisbehaving: true };
  expect(offeredPerSecond(misbehaving)).toBeCloseTo(280, 9);
  expect(shareOf(drawn(misbehaving), ({ customer }) => customer.name === 'A')).toBeCloseTo(40 / 280, 1);
});
