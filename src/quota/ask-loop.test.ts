import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CapacityGrant } from '../core/index.js';
import { AskLoop } from './ask-loop.js';

const GRANT: CapacityGrant = { capacity: 1, validMs: 1, refreshMs: 1, safeCapacity: 0, inherited: undefined };

/** Due when it is told to be. */
class FakeAsker {
  askAtMs = Number.POSITIVE_INFINITY;
  turn = 0;
  readonly events: string[] = [];
  isBelieving = true;

  ask() {
    this.askAtMs = Number.POSITIVE_INFINITY;
    return { client: 'a', life: 'b', turn: ++this.turn, has: 0, bands: [] };
  }

  granted(_now: number, turn: number): boolean {
    this.events.push(`granted ${turn}`);
    return this.isBelieving;
  }

  failed(_now: number, turn: number): void {
    this.events.push(`failed ${turn}`);
  }
}

let asker: FakeAsker;
let answer: CapacityGrant | undefined;
let news = 0;

function loop(): AskLoop {
  return new AskLoop(
    asker,
    async () => answer,
    () => news++,
  );
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  asker = new FakeAsker();
  answer = GRANT;
  news = 0;
});

afterEach(() => {
  vi.useRealTimers();
});

describe('asking when it is due', () => {
  it('asks at once, and at the instant that is said', async () => {
    const asking = loop();
    asker.askAtMs = 0;
    asking.look();
    await vi.advanceTimersByTimeAsync(0);
    expect([asker.events, news]).toEqual([['granted 1'], 1]);
    asker.askAtMs = performance.now() + 500;
    asking.look();
    await vi.advanceTimersByTimeAsync(499);
    expect(asker.turn).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asker.turn).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has one timer, for the sooner instant', async () => {
    const asking = loop();
    for (const ms of [500, 500, 100]) {
      asker.askAtMs = performance.now() + ms;
      asking.look();
    }
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(asker.turn).toBe(1);
  });

  it('says when there was no answer, and what is not believed is no news', async () => {
    const asking = loop();
    answer = undefined;
    asker.askAtMs = 0;
    asking.look();
    await vi.advanceTimersByTimeAsync(0);
    answer = GRANT;
    asker.isBelieving = false;
    asker.askAtMs = 0;
    asking.look();
    await vi.advanceTimersByTimeAsync(0);
    expect(asker.events).toEqual(['failed 1', 'granted 2']);
    expect([news, asking.asks, asking.failures]).toEqual([0, 2, 1]);
  });

  it('stops, after what is under way', async () => {
    const asking = loop();
    asker.askAtMs = 0;
    asking.look();
    await asking.stop();
    expect(asker.events).toEqual(['granted 1']);
    asker.askAtMs = 0;
    asking.look();
    expect([asker.turn, vi.getTimerCount()]).toEqual([1, 0]);
  });
});
