import { describe, expect, it, vi } from 'vitest';
import type { Criticality, RefusalReason } from '../../core/index.js';
import type { GuardedRequest } from '../guarded-request.js';
import { RecentRefusals } from './recent-refusals.js';

const MOMENT = {
  utilization: 1.31,
  refuseFrom: 1.2,
  signal: 'queue',
  waiting: 7,
  inFlight: 12,
  concurrencyLimit: 10,
};

function setUp() {
  const moment = vi.fn(() => MOMENT);
  const refusals = new RecentRefusals(moment);
  const refuse = (criticality: Criticality, reason: RefusalReason, arrivedMs: number, customer = 'acme') =>
    refusals.add(
      { criticality, customer, route: 'GET /', arrivedMs } as GuardedRequest,
      { reason, answer: 'task-overloaded' },
      false,
    );
  return { refusals, refuse, moment };
}

describe('RecentRefusals', () => {
  it('counts all, and keeps the numbers of a few', () => {
    const { refusals, refuse, moment } = setUp();
    for (let i = 0; i < 40_000; i++) refuse('SHEDDABLE', 'utilization', i / 40);
    expect(refusals.counts().SHEDDABLE.utilization).toBe(40_000);
    expect(moment).toHaveBeenCalledTimes(20);
    const [last] = refusals.recent();
    expect(last).toEqual({
      atMs: expect.any(Number),
      reason: 'utilization',
      criticality: 'SHEDDABLE',
      customer: 'acme',
      route: 'GET /',
      isOnlyReported: false,
      ...MOMENT,
    });
    expect(Math.abs(last!.atMs - Date.now())).toBeLessThan(60_000);
  });

  it('shows what is rare among what is not', () => {
    const { refusals, refuse } = setUp();
    for (let i = 0; i < 400_000; i++) {
      refuse(i % 2 === 0 ? 'SHEDDABLE' : 'SHEDDABLE_PLUS', 'utilization', i / 40);
      if (i === 1_234) refuse('CRITICAL_PLUS', 'queue', i / 40);
    }
    const recent = refusals.recent();
    expect(recent).toHaveLength(50);
    expect(recent.filter(({ criticality }) => criticality === 'CRITICAL_PLUS')).toHaveLength(1);
    expect(recent.filter(({ criticality }) => criticality === 'SHEDDABLE').length).toBeGreaterThan(20);
  });

  it('keeps no more of a name than is read', () => {
    const { refusals, refuse } = setUp();
    refuse('CRITICAL', 'quota', 0, 'x'.repeat(10_000));
    expect(refusals.recent()[0]!.customer).toHaveLength(128);
  });
});
