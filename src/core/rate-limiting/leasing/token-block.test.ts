import { describe, expect, it } from 'vitest';
import type { LeaseGrant } from './lease-ledger.js';
import { TokenBlock } from './token-block.js';

const GRANT: LeaseGrant = {
  granted: 0,
  validMs: 1_000,
  epochMs: 0,
  remaining: 0,
  retryAfterMs: 0,
  resetMs: 0,
};

/** 1, 2, 3 … */
function turns(): () => number {
  let turn = 0;
  return () => ++turn;
}

/** A block that was given so much at `now`. */
function blockOf(granted: number, now = 0, grant: Partial<LeaseGrant> = {}): TokenBlock {
  const block = new TokenBlock(turns());
  block.ask('me', now, granted);
  block.granted(now, { ...GRANT, granted, ...grant });
  return block;
}

describe('a block of units', () => {
  it('has nothing and asks for nothing at first', () => {
    const block = new TokenBlock(turns());
    expect([block.isAsking, block.isInDebt, block.isSpent(0, 1), block.remaining(0)]).toEqual([
      false,
      false,
      true,
      0,
    ]);
  });

  it('lets pass what it has, and does not know of more', () => {
    const block = blockOf(3);
    expect(block.take(0, 2)).toBe('allowed');
    expect(block.take(0, 2)).toBe('unknown');
    expect(block.take(0, 1)).toBe('allowed');
    expect(block.remaining(0)).toBe(0);
  });

  it('ends when its time since it was asked for is over', () => {
    const block = blockOf(3);
    expect(block.take(999.9, 1)).toBe('allowed');
    expect(block.take(1_000, 1)).toBe('unknown');
    expect(block.ask('me', 1_000, 1)).toMatchObject({ holds: 0, needs: 1 });
  });

  it('keeps what is left when more comes, and loses it when a new window does', () => {
    const block = blockOf(3);
    block.ask('me', 10, 5);
    block.granted(10, { ...GRANT, granted: 2 });
    expect(block.take(20, 5)).toBe('allowed');
    const other = blockOf(3);
    other.ask('me', 10, 5);
    other.granted(10, { ...GRANT, granted: 2, epochMs: 1_000 });
    expect([other.take(20, 3), other.take(20, 2)]).toEqual(['unknown', 'allowed']);
  });

  it('refuses by itself while it knows that there is nothing, but not less than there may be', () => {
    const block = blockOf(0, 100, { retryAfterMs: 50, remaining: 3 });
    expect(block.take(149, 4)).toBe('refused');
    expect(block.retryAfterMs(130)).toBe(20);
    expect(block.take(149, 3)).toBe('unknown');
    expect(block.take(150, 4)).toBe('unknown');
  });

  it('asks for a tenth of a second at the rate of its use, grows eightfold, and asks when half is gone', () => {
    const block = blockOf(1);
    block.take(0, 1);
    // 1 in 0.1 ms would be 1,000 in 100 ms.
    expect(block.ask('me', 0.1, 1)).toMatchObject({ wants: 8, needs: 1, holds: 0 });
    block.granted(0.1, { ...GRANT, granted: 64 });
    for (let i = 0; i < 32; i++) {
      expect(block.isLow(1)).toBe(false);
      block.take(1, 1);
    }
    block.take(1, 1);
    expect(block.isLow(1)).toBe(true);
    // 33 in 3.3 ms are 1,000 in 100 ms; 31 are there.
    expect(block.ask('me', 3.4, 0)).toMatchObject({ wants: 8 * 64 - 31, needs: 0, holds: 31 });
    expect([block.isAsking, block.isLow(3.4)]).toEqual([true, false]);
    block.failed();
    expect([block.isAsking, block.isLow(3.4)]).toEqual([false, true]);
  });

  it('does not ask ahead for what few want, nor while there is nothing', () => {
    const block = blockOf(15);
    block.take(0, 15);
    expect(block.isLow(0)).toBe(false);
    const larger = blockOf(16);
    larger.take(0, 9);
    expect(larger.isLow(0)).toBe(true);
    const empty = blockOf(20);
    empty.take(0, 20);
    empty.ask('me', 1, 1);
    empty.granted(1, { ...GRANT, retryAfterMs: 50 });
    expect(empty.isLow(10)).toBe(false);
    const inDebt = blockOf(5);
    inDebt.giveBack(0, -9, inDebt.turn, 100);
    inDebt.ask('me', 1, 0);
    inDebt.granted(1, { ...GRANT, retryAfterMs: 50 });
    expect([inDebt.isLow(50), inDebt.isLow(51)]).toEqual([false, true]);
  });

  it('expects half as much growth after an ask that found nothing', () => {
    const block = blockOf(64);
    block.take(0, 64);
    block.ask('me', 1, 1);
    block.granted(1, { ...GRANT, granted: 1 });
    block.take(1, 1);
    // 1 in 0.1 ms would be 1,000 in 100 ms.
    expect(block.ask('me', 1.1, 1)).toMatchObject({ wants: 8 * 32 });
  });

  it('does not expect again what was given back', () => {
    const block = blockOf(64);
    block.take(10, 40);
    block.giveBack(20, 10, block.turn, 100);
    // 30 in 50 ms are 60 in 100 ms; 34 are there.
    expect(block.ask('me', 50, 0)).toMatchObject({ wants: 60 - 34, holds: 34 });
  });

  it('wants as much as all need who wait, though the first is enough to begin with', () => {
    const block = blockOf(1);
    expect(block.ask('me', 900, 2, 64)).toMatchObject({ needs: 1, urgent: 63, wants: 63, holds: 1 });
    expect(blockOf(1).ask('me', 900, 2, 2, 64)).toMatchObject({ needs: 1, urgent: 1, wants: 65 });
  });

  it('wants nothing when the load is gone', () => {
    const block = blockOf(100);
    block.take(0, 51);
    expect(block.ask('me', 900, 0)).toMatchObject({ wants: 0, holds: 49 });
  });

  it('is idle when nobody has come for a while, sooner with many units than with few', () => {
    expect([blockOf(16).isIdle(199), blockOf(16).isIdle(200)]).toEqual([false, true]);
    expect([blockOf(15).isIdle(799), blockOf(15).isIdle(800)]).toEqual([false, true]);
    const inDebt = blockOf(5);
    inDebt.giveBack(0, -9, inDebt.turn, 100);
    expect([inDebt.isInDebt, inDebt.isIdle(9_999)]).toEqual([true, false]);
  });

  it('believes for a second that there is nothing, and says when there will be', () => {
    const block = blockOf(0, 100, { retryAfterMs: 3_600_000 });
    expect([block.take(1_099, 1), block.take(1_100, 1)]).toEqual(['refused', 'unknown']);
    expect(block.retryAfterMs(1_100)).toBe(3_599_000);
  });

  it('knows when the next one would have to wait', () => {
    const block = blockOf(2);
    expect([block.isSpent(0, 2), block.isSpent(0, 3)]).toEqual([false, true]);
    block.ask('me', 0, 3);
    expect(block.isSpent(0, 3)).toBe(false);
    expect(blockOf(0, 0, { retryAfterMs: 50 }).isSpent(49, 1)).toBe(false);
  });

  it('owes no more than it may', () => {
    const block = blockOf(5);
    block.giveBack(0, -1_000, block.turn, 10);
    expect(block.ask('me', 0, 1)).toMatchObject({ needs: 0, urgent: 11, wants: 11, holds: 0 });
  });

  it('gives back what is left when nobody comes, once', () => {
    const block = blockOf(5);
    block.take(10, 1);
    expect(block.surrender('me', 210)).toMatchObject({ holder: 'me', wants: 0, holds: 0, returns: 4 });
    expect(block.surrender('me', 210)).toBeUndefined();
    expect(block.take(211, 1)).toBe('unknown');
    const asking = blockOf(5);
    asking.ask('me', 0, 0);
    expect([asking.isIdle(999), asking.surrender('me', 1)]).toEqual([false, undefined]);
    expect(blockOf(5).surrender('me', 1_000)).toBeUndefined();
  });

  it('takes back what was not used, unless it has been told of as used', () => {
    const block = blockOf(5);
    const { turn } = block;
    block.take(0, 4);
    block.giveBack(0, 3, turn, 100);
    expect(block.remaining(0)).toBe(4);
    block.giveBack(1_000, 1, turn, 100);
    expect(block.remaining(0)).toBe(4);
    block.ask('me', 1, 0);
    block.giveBack(1, 1, turn, 100);
    expect(block.remaining(1)).toBe(4);
  });

  it('keeps a debt until it is paid', () => {
    const block = blockOf(5);
    block.take(0, 5);
    block.giveBack(0, -3, 0, 100);
    expect([block.remaining(0), block.surrender('me', 0)]).toEqual([0, undefined]);
    expect(block.take(1_000, 0)).toBe('unknown');
    expect(block.ask('me', 1_000, 1)).toMatchObject({ needs: 0, urgent: 4, holds: 0 });
    block.granted(1_000, { ...GRANT, granted: 4 });
    expect([block.take(1_000, 2), block.take(1_000, 1)]).toEqual(['unknown', 'allowed']);
  });

  it('tells when all is as if nobody had come, as far as it knows', () => {
    const block = blockOf(5, 100, { remaining: 7, resetMs: 40 });
    expect([block.remaining(100), block.resetMs(100), block.resetMs(130.5), block.resetMs(200)]).toEqual([
      12, 40, 10, 0,
    ]);
    expect(blockOf(0).retryAfterMs(0)).toBe(1);
  });
});
