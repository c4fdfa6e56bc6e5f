import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Accounts, OTHER } from './accounts.js';

const named = (accounts: Accounts, name: string) => accounts.totals(1).find((totals) => totals.name === name);

describe('Accounts', () => {
  it('settles what was measured and what was estimated, each by its factor', () => {
    const accounts = new Accounts('most', 10);
    accounts.of('/a').post(3, 0);
    accounts.of('/a').post(5, 1);
    accounts.of('/a').postEstimate(2);
    expect(accounts.of('/a').claimedMs(0.5)).toBe(6);
    expect(named(accounts, '/a')).toEqual({ name: '/a', requests: 2, totalMs: 0, msPerSecond: 0 });
    accounts.settle(0.5, 3, 2_000);
    expect(named(accounts, '/a')).toEqual({ name: '/a', requests: 2, totalMs: 10, msPerSecond: 5 });
    expect(accounts.of('/a').claimedMs(1)).toBe(0);
  });

  it('keeps the total and forgets the rate when nothing more comes', () => {
    const accounts = new Accounts('most', 10);
    accounts.of('/a').post(3, 1);
    accounts.settle(1, 1, 1_000);
    accounts.settle(1, 1, 1_000);
    expect(named(accounts, '/a')).toEqual({ name: '/a', requests: 1, totalMs: 3, msPerSecond: 0 });
  });

  it('multiplies totals by the factor asked for', () => {
    const accounts = new Accounts('most', 10);
    accounts.of('/a').post(3, 1);
    accounts.settle(1, 1, 500);
    expect(accounts.totals(2).at(-1)).toEqual({ name: '/a', requests: 1, totalMs: 6, msPerSecond: 12 });
  });

  it('opens no more accounts than it may; the rest is in that of others', () => {
    const accounts = new Accounts('most', 2);
    for (const name of ['a', 'b', 'c', 'd']) accounts.of(name).post(1, 1);
    accounts.settle(1, 1, 1_000);
    expect(accounts.totals(1).map(({ name, totalMs }) => [name, totalMs])).toEqual([
      [OTHER, 2],
      ['a', 1],
      ['b', 1],
    ]);
  });

  it('gives the place of one that was idle for ten minutes to another, when it has none', () => {
    const accounts = new Accounts('most', 2);
    const held = accounts.of('a');
    held.post(4, 1);
    accounts.of('b').post(1, 1);
    for (let second = 0; second <= 600; second++) {
      accounts.of('b').postEstimate(0);
      accounts.settle(1, 1, 1_000);
    }
    expect(named(accounts, 'a')).toBeUndefined();
    expect(named(accounts, OTHER)).toMatchObject({ requests: 1, totalMs: 4 });
    expect(accounts.of('c').name).toBe('c');
    // A request that still holds it posts to its heir.
    held.post(3, 1);
    accounts.settle(1, 1, 1_000);
    expect(named(accounts, OTHER)).toMatchObject({ requests: 2, totalMs: 7 });
  });

  it('keeps idle ones while there is room', () => {
    const accounts = new Accounts('most', 2);
    accounts.of('a').post(4, 1);
    for (let second = 0; second < 3_600; second++) accounts.settle(1, 1, 1_000);
    expect(named(accounts, 'a')).toEqual({ name: 'a', requests: 1, totalMs: 4, msPerSecond: 0 });
  });

  it('keeps a busy one, and one idle for exactly ten minutes', () => {
    const accounts = new Accounts('most', 1);
    accounts.of('a').post(1, 0);
    for (let second = 0; second < 600; second++) accounts.settle(1, 1, 1_000);
    expect(named(accounts, 'a')).toBeDefined();
    accounts.settle(1, 1, 1_000);
    expect(named(accounts, 'a')).toBeUndefined();
  });

  it('loses nothing, whatever is posted to whom', () => {
    const posting = fc.tuple(fc.string({ maxLength: 2 }), fc.integer({ min: 0, max: 100 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(posting), fc.integer({ min: 1, max: 5 }), (postings, most) => {
        const accounts = new Accounts('most', most);
        for (const [name, ms, isMeasured] of postings) {
          if (isMeasured) accounts.of(name).post(ms, 1);
          else accounts.of(name).postEstimate(ms);
          accounts.settle(1, 1, 1_000);
        }
        const sum = accounts.totals(1).reduce((total, { totalMs }) => total + totalMs, 0);
        expect(sum).toBe(postings.reduce((total, [, ms]) => total + ms, 0));
        expect(accounts.totals(1).length).toBeLessThanOrEqual(most + 1);
      }),
    );
  });

  it('refuses to have no account', () => {
    expect(() => new Accounts('maxRoutes', 0)).toThrow('maxRoutes must be an integer >= 1, got 0');
  });
});
