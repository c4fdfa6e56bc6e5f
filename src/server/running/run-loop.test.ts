import { describe, expect, it, vi } from 'vitest';
import type { GuardedRequest } from '../guarded-request.js';
import { RunLoop } from './run-loop.js';

/**
 * A loop whose time and turns move by hand: requests are numbers of milliseconds that they take. Each turn is asked for
 * with a look at what it leaves behind.
 */
function make() {
  const queue: number[] = [];
  const started: number[] = [];
  const turns: (() => void)[] = [];
  vi.stubGlobal('setImmediate', (turn: () => void) => turns.push(turn));
  const clock = { now: 0, isLimited: false, failing: false, turns: 0, limit: Number.POSITIVE_INFINITY };
  const loop = new RunLoop({
    take: () =>
      clock.isLimited || clock.limit-- <= 0
        ? undefined
        : (queue.shift() as unknown as GuardedRequest | undefined),
    waiting: () => queue.length,
    start: (request) => {
      if (clock.failing) throw new Error('from a handler');
      started.push(request as unknown as number);
      if (typeof request === 'number') clock.now += request;
    },
    now: () => clock.now,
    onTurn: () => {
      clock.turns++;
    },
    onBlocked: () => {},
  });
  vi.unstubAllGlobals();
  const turn = () => {
    vi.stubGlobal('setImmediate', (next: () => void) => turns.push(next));
    try {
      for (const each of turns.splice(0)) each();
    } finally {
      vi.unstubAllGlobals();
    }
  };
  const stubbed = <T>(work: () => T): T => {
    vi.stubGlobal('setImmediate', (next: () => void) => turns.push(next));
    try {
      return work();
    } finally {
      vi.unstubAllGlobals();
    }
  };
  const submit = (ms: number) => {
    queue.push(ms);
    stubbed(() => loop.submit({} as GuardedRequest));
  };
  return { loop, queue, started, turns, clock, turn, submit, stubbed };
}

describe('a run loop', () => {
  it('starts about a millisecond of requests a turn', () => {
    const { submit, turn, started, turns } = make();
    for (let i = 0; i < 10; i++) submit(0.3);
    expect([started.length, turns.length]).toEqual([0, 2]);
    turn();
    expect(started).toHaveLength(4);
    turn();
    expect(started).toHaveLength(8);
    turn();
    expect(started).toHaveLength(10);
  });

  it('starts one that is longer than that alone', () => {
    const { submit, turn, started } = make();
    submit(5);
    submit(5);
    turn();
    expect(started).toHaveLength(1);
    turn();
    expect(started).toHaveLength(2);
  });

  it('is idle until what runs at once has used up the turn, and again after it', () => {
    const { loop, turn, started, stubbed, clock } = make();
    expect(loop.isIdle(clock.now)).toBe(true);
    stubbed(() => loop.runNow(2 as unknown as GuardedRequest, clock.now));
    expect([started.length, loop.isIdle(clock.now)]).toEqual([1, false]);
    turn();
    expect(loop.isIdle(clock.now)).toBe(true);
  });

  it('does not ask for a turn until a quarter of a millisecond was used, however many turns that took', () => {
    const { loop, turns, stubbed, clock } = make();
    const run = (ms: number) => stubbed(() => loop.runNow(ms as unknown as GuardedRequest, clock.now));
    for (let i = 0; i < 4; i++) run(0.06);
    expect(turns).toHaveLength(0);
    run(0.06);
    expect(turns).toHaveLength(2);
  });

  it('lets two milliseconds run at once while nobody waits', () => {
    const { loop, stubbed, clock } = make();
    const run = (ms: number) => stubbed(() => loop.runNow(ms as unknown as GuardedRequest, clock.now));
    run(1.5);
    expect(loop.isIdle(clock.now)).toBe(true);
    run(0.5);
    expect(loop.isIdle(clock.now)).toBe(false);
  });

  it('counts what goes on in promises when the next one comes, and asks for a turn', () => {
    const { loop, turns, stubbed, clock } = make();
    stubbed(() => loop.runNow({ state: 'running' } as GuardedRequest, clock.now));
    expect(turns).toHaveLength(2);
    expect(loop.isIdle(1.9)).toBe(true);
    stubbed(() => loop.runNow({ state: 'running' } as GuardedRequest, 1.9));
    expect(loop.isIdle(2.1)).toBe(false);
  });

  it.each([
    [1, [1, 1, 1]],
    [0, [1, 2, 10]],
  ])(
    'starts one in a slice of those that go on, until it has learned that they take %s ms',
    (eachMs, some) => {
      const { loop, queue, started, turns, clock, stubbed } = make();
      for (let i = 0; i < 100; i++) queue.push({ state: 'running' } as never);
      stubbed(() => loop.submit({} as GuardedRequest));
      const startedIn: number[] = [];
      for (let i = 0; i < 12; i++) {
        const before = started.length;
        clock.limit = 10;
        const [slice, after] = turns.splice(0);
        stubbed(() => slice!());
        // As soon as the slice is over.
        clock.now += (started.length - before) * eachMs;
        stubbed(() => after?.());
        startedIn.push(started.length - before);
        stubbed(() => loop.wake());
      }
      expect([0, 1, 11].map((at) => startedIn[at])).toEqual(some);
    },
  );

  it('waits to be woken when no more may run, and does not spin', () => {
    const { submit, turn, turns, started, clock, loop, stubbed } = make();
    clock.isLimited = true;
    submit(1);
    turn();
    expect([turns.length, started.length]).toEqual([0, 0]);
    clock.isLimited = false;
    stubbed(() => loop.wake());
    turn();
    expect(started).toHaveLength(1);
  });

  it('goes on after a handler that throws', () => {
    const { submit, turn, turns, started, clock } = make();
    submit(1);
    submit(1);
    clock.failing = true;
    expect(turn).toThrow('from a handler');
    clock.failing = false;
    expect(turns).toHaveLength(1);
    turn();
    expect(started).toHaveLength(1);
  });

  it('lets new connections in before it goes on, but not for ever', () => {
    const { submit, turn, started, loop } = make();
    submit(1);
    for (let i = 0; i < 20; i++) {
      loop.onConnection();
      turn();
      expect(started).toHaveLength(0);
    }
    loop.onConnection();
    turn();
    expect(started).toHaveLength(1);
  });
});
