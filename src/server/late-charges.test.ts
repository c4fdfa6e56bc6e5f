import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestCpu } from './cpu/index.js';
import { LateCharges } from './late-charges.js';

function book(isCpu = false) {
  const charged: [string, number][] = [];
  const late = new LateCharges(isCpu, ({ customer }, cost) => charged.push([customer, cost]));
  return { charged, late };
}

const payer = (customer: string, endedMs = 0) => ({
  customer,
  criticality: 'CRITICAL' as const,
  isOwed: true,
  endedMs,
});

describe('LateCharges', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are one cost of each request, a tenth of a second later', () => {
    const { charged, late } = book();
    const [one, other] = [payer('a'), payer('b')];
    for (let token = 0; token < 10; token++) late.addAmount(one, 3, 0);
    late.addAmount(other, 5, 0);
    expect(charged).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(charged).toEqual([
      ['a', 30],
      ['b', 5],
    ]);
    late.addAmount(one, 1, 0);
    vi.advanceTimersByTime(1_000);
    expect(charged.slice(2)).toEqual([['a', 1]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are in the unit of the quota, and none for nothing', () => {
    for (const isCpu of [true, false]) {
      const { charged, late } = book(isCpu);
      late.addAmount(payer('a'), 0, 0);
      expect(vi.getTimerCount()).toBe(0);
      late.addAmount(payer('a'), 7, 0);
      const cpu = { ...payer('a'), isOwed: true, onLate: undefined } as unknown as RequestCpu;
      late.follow({ cpu, isOwed: false });
      cpu.onLate?.(cpu, 500);
      expect(cpu.isOwed).toBe(!isCpu);
      late.follow({ cpu: undefined, isOwed: true });
      vi.advanceTimersByTime(100);
      expect(charged).toEqual(isCpu ? [['a', 0.5]] : [['a', 7]]);
    }
  });

  it('end at some time: work that never does is nobody’s', () => {
    const { charged, late } = book();
    late.addAmount(payer('a', 1_000), 1, 31_000);
    late.addAmount(payer('b', 1_000), 1, 31_001);
    vi.advanceTimersByTime(100);
    expect(charged).toEqual([['a', 1]]);
  });

  it('do not pile up', () => {
    const { charged, late } = book();
    for (let i = 0; i < 1_000; i++) late.addAmount(payer(`customer-${i}`), 1, 0);
    expect(charged).toHaveLength(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
