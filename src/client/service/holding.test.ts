import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Exchange } from '../dispatch/exchange.js';
import { Holding } from './holding.js';

/** A request that notes when it may go on. */
function request(onProceed: (now: number) => void = () => {}): Exchange {
  return { proceed: onProceed } as unknown as Exchange;
}

const world = { now: 0, monotonicMs: () => world.now, wallMs: () => 0, random: () => 0 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('Holding', () => {
  it('lets all go on when it is told, in their order, and once', () => {
    const holding = new Holding(5_000, world);
    const went: string[] = [];
    world.now = 7;
    for (const name of ['a', 'b']) holding.hold(request((now) => went.push(`${name} ${now}`)));
    expect(holding.size).toBe(2);
    holding.release();
    holding.release();
    expect(went).toEqual(['a 7', 'b 7']);
    expect(holding.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets them go on when the first has waited for long enough', () => {
    const holding = new Holding(5_000, world);
    const went: string[] = [];
    holding.hold(request(() => went.push('a')));
    vi.advanceTimersByTime(4_999);
    holding.hold(request(() => went.push('b')));
    expect(went).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(went).toEqual(['a', 'b']);
    // The next one has its own time.
    holding.hold(request(() => went.push('c')));
    vi.advanceTimersByTime(4_999);
    expect(went).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(went).toHaveLength(3);
  });

  it('forgets who has left, and leaves no timer for nobody', () => {
    const holding = new Holding(5_000, world);
    const left = request(() => expect.unreachable());
    const stays = vi.fn();
    holding.hold(left);
    holding.hold(request(stays));
    holding.leave(left);
    expect(vi.getTimerCount()).toBe(1);
    holding.release();
    expect(stays).toHaveBeenCalledTimes(1);
    const alone = request();
    holding.hold(alone);
    holding.leave(alone);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not hold again who has just been let go', () => {
    const holding = new Holding(5_000, world);
    const held: boolean[] = [];
    const again = request(() => held.push(holding.hold(again)));
    holding.hold(again);
    holding.release();
    expect(held).toEqual([false]);
    expect(holding.hold(again)).toBe(true);
  });

  it('holds a thousand and no more', () => {
    const holding = new Holding(5_000, world);
    for (let i = 0; i < 1_000; i++) expect(holding.hold(request())).toBe(true);
    expect(holding.hold(request())).toBe(false);
    expect(holding.size).toBe(1_000);
    holding.release();
    expect(holding.hold(request())).toBe(true);
  });
});
