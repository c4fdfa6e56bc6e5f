import { describe, expect, it } from 'vitest';
import { RecentGatewayRefusals } from './recent-refusals.js';

function setUp() {
  let now = 0;
  const refusals = new RecentGatewayRefusals(() => now);
  return {
    refusals,
    at: (ms: number) => {
      now = ms;
    },
  };
}

describe('RecentGatewayRefusals', () => {
  it('keeps some of each reason', () => {
    const { refusals, at } = setUp();
    let added = 0;
    for (let i = 0; i < 20_000; i++) {
      at(i / 2);
      const reason = i === 7_000 ? 'PLIMSOLL_NO_BACKEND' : i % 2 === 0 ? 'limited' : 'unknown';
      if (!refusals.isWanted(reason)) continue;
      refusals.add({ reason, route: 'a' });
      added++;
    }
    expect(added).toBeLessThan(220);
    const values = refusals.values();
    expect(values).toHaveLength(50);
    expect(values.filter(({ reason }) => reason === 'PLIMSOLL_NO_BACKEND')).toHaveLength(1);
    expect(values.filter(({ reason }) => reason === 'limited').length).toBeGreaterThan(20);
  });

  it('keeps no long texts, and says when', () => {
    const { refusals } = setUp();
    refusals.add({ reason: 'limited', key: 'x'.repeat(1_000), retryAfterMs: 5 });
    const [kept] = refusals.values();
    expect(kept).toMatchObject({ reason: 'limited', key: 'x'.repeat(128), retryAfterMs: 5 });
    expect(Math.abs(kept!.atMs - Date.now())).toBeLessThan(60_000);
  });

  it('is as at the beginning after an hour of silence', () => {
    const { refusals, at } = setUp();
    refusals.add({ reason: 'limited' });
    expect(refusals.isWanted('limited')).toBe(false);
    at(3_600_000);
    expect(refusals.isWanted('limited')).toBe(true);
  });
});
