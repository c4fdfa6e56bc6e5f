import { describe, expect, it } from 'vitest';
import { FairSamples, SampleKind } from './fair-samples.js';

function setUp(kinds: number, most = 50) {
  const samples = new FairSamples<string>({ most, perSecond: 20 });
  const all = Array.from({ length: kinds }, () => samples.addKind(new SampleKind()));
  const offer = (kind: SampleKind, value: string, now: number): boolean => {
    if (now < kind.nextMs) return false;
    samples.add(kind, value, now);
    return true;
  };
  return { samples, all, offer };
}

describe('FairSamples', () => {
  it('takes no more than its rate, however many come', () => {
    const { all, offer } = setUp(1);
    let taken = 0;
    for (let now = 0; now < 10_000; now += 0.025) if (offer(all[0]!, '', now)) taken++;
    expect(taken).toBe(200);
  });

  it('divides its rate among kinds, whatever their shares are', () => {
    const { all, offer } = setUp(4);
    const taken = [0, 0, 0, 0];
    // Of the first a thousand come for each of the last.
    for (let i = 0; i < 400_000; i++) {
      const at = i % 1_000 === 0 ? 3 : i % 100 === 1 ? 2 : i % 10 === 2 ? 1 : 0;
      if (offer(all[at]!, '', i / 40)) taken[at]!++;
    }
    const sum = taken.reduce((a, b) => a + b);
    expect(sum).toBeLessThanOrEqual(210);
    for (const each of taken) expect(each).toBeGreaterThan(35);
  });

  it('shows a rare kind at once, and keeps it while others come and go', () => {
    const { samples, all, offer } = setUp(2);
    for (let now = 0; now < 60_000; now++) {
      offer(all[0]!, 'often', now);
      if (now === 30_001) expect(offer(all[1]!, 'once', now)).toBe(true);
    }
    expect(samples.values()).toHaveLength(50);
    expect(samples.values()).toContain('once');
  });

  it('has the newest first, and forgets the oldest of those that have most', () => {
    const { samples, all, offer } = setUp(2, 3);
    offer(all[1]!, 'b', 0);
    for (const [i, value] of ['a1', 'a2', 'a3'].entries()) offer(all[0]!, value, 1_000 * (i + 1));
    expect(samples.values()).toEqual(['a3', 'a2', 'b']);
  });

  it('forgets the oldest of all when two kinds have as many', () => {
    const { samples, all, offer } = setUp(2, 3);
    for (const [i, value] of ['a1', 'b1', 'a2', 'b2'].entries()) offer(all[i % 2]!, value, 1_000 * i);
    expect(samples.values()).toEqual(['b2', 'a2', 'b1']);
  });

  it('is as at the beginning after an hour of silence', () => {
    const { samples, all, offer } = setUp(3);
    for (let now = 0; now < 5_000; now++) for (const kind of all) offer(kind, 'old', now);
    const later = 5_000 + 3_600_000;
    expect(offer(all[0]!, 'new', later)).toBe(true);
    // Nobody else is there to wait for.
    expect([offer(all[0]!, 'x', later + 49), offer(all[0]!, 'x', later + 50)]).toEqual([false, true]);
    expect(samples.values().slice(0, 3)).toEqual(['x', 'new', 'old']);
  });

  it('refuses impossible options', () => {
    expect(() => new FairSamples({ most: 0, perSecond: 1 })).toThrow('most must be an integer >= 1, got 0');
    expect(() => new FairSamples({ most: 1, perSecond: 0 })).toThrow('perSecond must be');
  });
});
