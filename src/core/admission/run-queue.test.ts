import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRITICALITIES, type Criticality } from '../criticality.js';
import { NO_DEADLINE } from '../deadline.js';
import type { SeededRandom } from '../seeded-random.js';
import { NaiveRunQueue } from './run-queue.contract.js';
import { type OnDrop, type QueuedRequest, RunQueue } from './run-queue.js';
import type { RunQueueOptions } from './run-queue-options.js';
import { simulate } from './run-queue-simulation.contract.js';

interface Named extends QueuedRequest {
  readonly name: string;
}

/** `a1` is a request of customer `a`. */
function request(name: string, criticality: Criticality = 'CRITICAL', deadlineMs = NO_DEADLINE): Named {
  return { name, criticality, customer: name[0]!, deadlineMs };
}

/** A queue, and what it has dropped. */
function makeQueue(options?: Partial<RunQueueOptions>) {
  const drops: string[] = [];
  const queue = new RunQueue<Named>(
    ({ name }, reason, now) => drops.push(`${name} ${reason} ${now}`),
    options,
  );
  const push = (name: string, now: number, criticality?: Criticality) =>
    queue.push(request(name, criticality), now);
  /** Names of the next to run, all taken at once. */
  const takeAll = (now: number) => {
    const names: string[] = [];
    for (let next = queue.take(now); next !== undefined; next = queue.take(now)) names.push(next.name);
    return names.join(' ');
  };
  /** Teaches it that a request is taken each `everyMs`, by two intervals that end at `now`. */
  const teach = (everyMs: number, now: number) => {
    for (const name of ['x', 'y', 'z']) push(name, now - 2 * everyMs);
    for (const back of [2, 1, 0]) queue.take(now - back * everyMs);
  };
  return { queue, drops, push, takeAll, teach };
}

describe('the order of the run queue', () => {
  it('is by criticality, strictly', () => {
    const { push, takeAll, queue } = makeQueue();
    push('a1', 0, 'SHEDDABLE');
    push('a2', 0, 'CRITICAL');
    push('a3', 0, 'SHEDDABLE_PLUS');
    push('a4', 0, 'CRITICAL_PLUS');
    push('a5', 0, 'CRITICAL');
    expect(queue.size).toBe(5);
    expect(CRITICALITIES.map((criticality) => queue.sizeOf(criticality))).toEqual([1, 1, 2, 1]);
    expect(takeAll(1)).toBe('a4 a2 a5 a3 a1');
    expect(queue.size).toBe(0);
  });

  it('gives customers turns within a criticality', () => {
    const { push, takeAll } = makeQueue();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) push(name, 0);
    push('c1', 0, 'CRITICAL_PLUS');
    expect(takeAll(1)).toBe('c1 a1 b1 a2 b2 a3 a4');
  });

  it('is newest first within a customer once something has waited all the time for 100 ms', () => {
    const { push, queue, takeAll } = makeQueue();
    for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) push(name, 0);
    expect(queue.take(99)?.name).toBe('a1');
    expect(queue.isOverloaded(99.9)).toBe(false);
    expect(queue.isOverloaded(100)).toBe(true);
    expect(takeAll(100)).toBe('b2 a3 b1 a2');
    expect(queue.isOverloaded(100)).toBe(false);
    push('a4', 100);
    push('a5', 100);
    expect(takeAll(199)).toBe('a4 a5');
  });

  it('does not leave the oldest to the last for ever: after maxWaitMs it is its turn', () => {
    const { push, queue } = makeQueue();
    push('a1', 0);
    push('a2', 50);
    for (let now = 100; now < 110; now++) {
      push(`a${now}`, now);
      expect(queue.take(now)?.name).toBe(now === 100 ? 'a100' : now === 101 ? 'a1' : `a${now}`);
    }
    expect(queue.lastWaitMs).toBe(0);
  });

  it('tells those that have waited too long while overloaded, and runs others in their place', () => {
    const { push, queue, drops } = makeQueue({ maxAgeMs: 60 });
    for (const name of ['a1', 'a2', 'a3']) push(name, 0);
    push('a4', 90);
    expect(queue.take(99)?.name).toBe('a1'); // late, but it is no overload yet
    expect(queue.take(100)?.name).toBe('a4');
    expect(drops).toEqual(['a2 evicted 100', 'a3 evicted 100']);
  });

  it('tells them also when the queue is short, if arrivals are being refused', () => {
    const { push, queue, drops } = makeQueue({ maxAgeMs: 60 });
    push('a1', 0);
    push('a2', 5);
    push('a3', 10);
    expect(queue.take(66)?.name).toBe('a1'); // a pause, not an overload
    queue.isShedding = true;
    expect(queue.take(66)?.name).toBe('a3');
    expect(drops).toEqual(['a2 evicted 66']);
  });

  it('runs the last one that waits, however late it is: nothing else would run in its place', () => {
    const { push, queue, drops } = makeQueue({ maxAgeMs: 60 });
    push('a1', 0);
    expect(queue.take(1_000)?.name).toBe('a1');
    expect(drops).toEqual([]);
  });

  it('tells no more than four at a time, since after a pause thousands may be late, and runs the least late', () => {
    const { push, queue, drops } = makeQueue({ maxAgeMs: 60 });
    for (let i = 0; i < 10; i++) push(`a${i}`, 0);
    expect(queue.take(500)?.name).toBe('a9');
    expect(drops).toEqual([0, 1, 2, 3].map((i) => `a${i} evicted 500`));
    expect(queue.take(500)?.name).toBe('a8');
  });

  it('keeps a starving sheddable request from counting as an overload of critical ones', () => {
    const { push, queue } = makeQueue();
    push('s1', 0, 'SHEDDABLE');
    push('a1', 200);
    push('a2', 200);
    expect(queue.isOverloaded(200)).toBe(true);
    expect(queue.isOverloaded(200, 'CRITICAL')).toBe(false);
    expect(queue.take(200)?.name).toBe('a1');
  });
});

describe('the expected wait', () => {
  it('is what runs before, times the mean time between takes', () => {
    const { push, queue, teach } = makeQueue();
    push('a1', 0);
    expect(queue.expectedWaitMs(0)).toBe(0);
    queue.take(0);
    teach(3, 50);
    expect(queue.expectedWaitMs(50)).toBe(0);
    push('a2', 50, 'CRITICAL_PLUS');
    for (const name of ['a3', 'b1', 'b2']) push(name, 50);
    push('a4', 50, 'SHEDDABLE');
    const expected = CRITICALITIES.map((criticality) => queue.expectedWaitMs(50, criticality));
    expect(expected).toEqual([15, 12, 12, 3]);
    expect(queue.expectedWaitMs(50)).toBe(15);
  });

  it('has been forgotten after an idle hour: then only maxWaiting holds', () => {
    const { push, queue, teach } = makeQueue({ maxWaiting: 200 });
    teach(50, 1_000);
    expect([1, 2, 3].map((i) => push(`a${i}`, 1_000))).toEqual([true, true, true]);
    expect(push('a4', 1_000)).toBe(false);
    for (let i = 0; i < 3; i++) queue.take(1_000);
    const later = 3_601_000;
    for (let i = 0; i < 200; i++) expect(push(`a${i}`, later)).toBe(true);
    expect(push('a200', later)).toBe(false);
    expect(queue.expectedWaitMs(later)).toBe(0);
  });

  it('grows while nothing is taken, so that a server that hangs is not sent more and more', () => {
    const { push, queue, teach } = makeQueue();
    teach(2, 100);
    push('a0', 100);
    push('a0', 100);
    queue.take(100);
    let waiting = 0;
    for (let now = 101; now < 20_000; now++) if (push(`a${now}`, now)) waiting++;
    expect(waiting).toBeGreaterThan(0);
    expect(queue.size).toBeLessThan(50);
  });

  it('is told with the rest of the state', () => {
    const { push, queue, teach } = makeQueue();
    const idle = { waiting: 0, customers: 0, expectedWaitMs: 0, boundMs: 100, isOverloaded: false };
    expect(queue.maxWaitMs).toBe(100);
    const { byCriticality, ...rest } = queue.explain(0);
    expect(rest).toEqual({ takeIntervalMs: undefined, lastWaitMs: 0 });
    expect(Object.values(byCriticality)).toEqual([idle, idle, idle, idle]);
    teach(2, 0);
    for (const name of ['a1', 'a2', 'b1']) push(name, 0);
    push('c1', 50, 'CRITICAL_PLUS');
    // Two milliseconds each were learned; that nothing was taken for 100 since makes it more.
    const each = queue.takeIntervalMs(100);
    expect(queue.takeIntervalMs(1)).toBe(2);
    expect(each).toBeGreaterThan(40);
    expect(queue.explain(100)).toEqual({
      takeIntervalMs: each,
      lastWaitMs: 4,
      byCriticality: {
        SHEDDABLE: { waiting: 0, customers: 0, expectedWaitMs: 4 * each, boundMs: 10, isOverloaded: true },
        SHEDDABLE_PLUS: {
          waiting: 0,
          customers: 0,
          expectedWaitMs: 4 * each,
          boundMs: 10,
          isOverloaded: true,
        },
        CRITICAL: { waiting: 3, customers: 2, expectedWaitMs: 4 * each, boundMs: 10, isOverloaded: true },
        CRITICAL_PLUS: { waiting: 1, customers: 1, expectedWaitMs: each, boundMs: 100, isOverloaded: false },
      },
    });
  });
});

describe('the bound', () => {
  it('is on the wait, not on the length', () => {
    for (const [everyMs, room] of [
      [0.1, 1_001],
      [2, 51],
      [25, 5],
      [60, 2],
      [5_000, 2],
    ] as const) {
      const { push, queue, teach } = makeQueue();
      teach(everyMs, 50_000);
      let i = 0;
      while (push(`a${i}`, 50_000)) i++;
      expect(queue.size).toBe(room);
    }
  });

  it('is 100 ms, 10 ms once the queue has not been empty for 100 ms, and 100 ms when it has emptied', () => {
    const { push, queue, drops, teach } = makeQueue();
    teach(2, 0);
    const fill = (now: number) => {
      let i = 0;
      while (i < 1_000 && push(`a${now}.${i}`, now)) i++;
      return queue.size;
    };
    expect(fill(0)).toBe(51);
    for (let now = 2; now <= 98; now += 2) queue.take(now);
    expect(queue.size).toBe(2);
    expect(fill(99)).toBe(51);
    // From now on it may hold six, so it lets nobody in until 46 have been taken …
    for (let taken = 1; taken <= 45; taken++) {
      const now = 98 + 2 * taken;
      queue.take(now);
      expect(queue.size).toBe(51 - taken);
    }
    expect(drops).toEqual([]);
    // … and at 10 ms a stale one makes room.
    expect(queue.expectedWaitMs(188)).toBe(12);
    expect(push('b1', 188.5)).toBe(true);
    expect(drops).toHaveLength(1);
    expect(queue.size).toBe(6);
    for (let now = 190; now <= 200; now += 2) queue.take(now);
    expect(queue.size).toBe(0);
    expect(fill(200)).toBe(51);
  });

  it('lets the less critical go first when something more critical pushes it beyond its bound', () => {
    const { push, queue, drops, teach } = makeQueue();
    teach(25, 0);
    for (const name of ['s1', 's2', 's3', 't1']) push(name, 0, 'SHEDDABLE');
    push('u1', 0, 'SHEDDABLE_PLUS');
    expect(push('s4', 0, 'SHEDDABLE')).toBe(false);
    expect(push('a1', 1)).toBe(true);
    // The last to run is the newest of the customer that has most waiting.
    expect(drops).toEqual(['s3 evicted 1']);
    for (const name of ['a2', 'a3', 'a4']) expect(push(name, 2)).toBe(true);
    expect(drops.slice(1)).toEqual(['s2 evicted 2', 's1 evicted 2', 't1 evicted 2']);
    expect(push('a5', 3)).toBe(true);
    expect(drops.slice(4)).toEqual(['u1 evicted 3']);
    expect(push('a6', 3)).toBe(false);
    expect(push('a7', 3, 'CRITICAL_PLUS')).toBe(true);
    expect(drops.slice(5)).toEqual(['a5 evicted 3']);
    expect(queue.size).toBe(5);
  });

  it('does not let a customer that floods push out another, and makes room for the other', () => {
    const { push, drops, takeAll, teach } = makeQueue();
    teach(25, 0);
    for (const name of ['f1', 'f2', 'f3', 'f4', 'f5']) expect(push(name, 0)).toBe(true);
    expect(push('f6', 0)).toBe(false);
    expect(push('l1', 1)).toBe(true);
    expect(push('l2', 1)).toBe(true);
    expect(drops).toEqual(['f5 evicted 1', 'f4 evicted 1']);
    // Three and two: as even as five can be.
    expect(push('l3', 1)).toBe(false);
    expect(push('f7', 1)).toBe(false);
    expect(takeAll(2)).toBe('f1 l1 f2 l2 f3');
  });

  it('while overloaded evicts the oldest of who floods, and of the own ones only what waited in vain', () => {
    const { push, drops, queue, teach } = makeQueue({ maxWaitMs: 1_000, tightWaitMs: 75 });
    teach(25, 0);
    push('f1', 0);
    push('f2', 20);
    push('f3', 40);
    expect(push('f4', 99)).toBe(true);
    // Tight from here on. Nothing was taken for 100 ms, so that 25 ms each are no longer believed and there is room for
    // two: f5 takes the place of f1, and f2, which has waited beyond the bound, goes as well.
    expect(push('f5', 100)).toBe(true);
    expect(drops).toEqual(['f1 evicted 100', 'f2 evicted 100']);
    // Who floods makes room for another customer, but f3 has not waited in vain: only one goes.
    expect(push('l1', 101)).toBe(true);
    expect(drops.slice(2)).toEqual(['f3 evicted 101']);
    expect(push('l2', 102)).toBe(false);
    expect(push('f6', 102)).toBe(false);
    expect(push('f7', 175)).toBe(true);
    expect(drops.slice(3)).toEqual(['f4 evicted 175']);
    expect(queue.size).toBe(3);
  });

  it('shrinks a backlog from before the overload was noticed: two out for one in', () => {
    const { push, drops, queue } = makeQueue();
    for (let i = 0; i < 40; i++) push(`a${i}`, 0);
    expect(queue.size).toBe(40);
    // Now it turns out that each takes 20 ms.
    for (const now of [0, 20, 40, 60, 80, 100]) queue.take(now);
    expect(queue.size).toBe(34);
    for (let i = 0; i < 10; i++) expect(push(`b${i}`, 101)).toBe(true);
    expect(queue.size).toBe(24);
    expect(drops).toHaveLength(20);
    expect(drops[0]).toBe('a5 evicted 101');
    expect(drops[19]).toBe('a24 evicted 101');
    // One alone in its lane is about to run, however long it has waited.
    const alone = makeQueue();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) alone.push(name, 0);
    for (const now of [0, 100]) alone.queue.take(now);
    expect(alone.push('g', 101)).toBe(false);
    expect(alone.push('c2', 111)).toBe(true);
    expect(alone.drops).toEqual(['c evicted 111']);
  });

  it('never holds more than maxWaiting, and then prefers the more critical', () => {
    const { push, drops, queue, takeAll } = makeQueue({ maxWaiting: 3 });
    for (const name of ['s1', 's2', 's3']) expect(push(name, 0, 'SHEDDABLE')).toBe(true);
    expect(push('s4', 0, 'SHEDDABLE')).toBe(false);
    for (const name of ['a1', 'a2', 'a3']) expect(push(name, 1)).toBe(true);
    expect(drops).toEqual(['s3 evicted 1', 's2 evicted 1', 's1 evicted 1']);
    expect(push('a4', 1)).toBe(false);
    expect(push('s5', 1, 'SHEDDABLE')).toBe(false);
    expect(push('b1', 2)).toBe(true);
    expect(drops.slice(3)).toEqual(['a3 evicted 2']);
    expect(queue.size).toBe(3);
    expect(takeAll(3)).toBe('a1 b1 a2');
  });
});

describe('deadlines', () => {
  it('drops what has expired when it is its turn, without using up the turn', () => {
    const { queue, drops, takeAll } = makeQueue();
    queue.push(request('a1', 'CRITICAL', 10), 0);
    queue.push(request('a2', 'CRITICAL', 11), 0);
    queue.push(request('b1', 'CRITICAL', 5), 0);
    queue.push(request('b2', 'CRITICAL', 99), 0);
    expect(takeAll(10)).toBe('a2 b2');
    expect(drops).toEqual(['a1 expired 10', 'b1 expired 10']);
    queue.push(request('a3', 'CRITICAL', 20), 12);
    expect(queue.take(20)).toBeUndefined();
    expect(drops.slice(2)).toEqual(['a3 expired 20']);
    expect(queue.size).toBe(0);
    expect(queue.lastWaitMs).toBe(10);
  });

  it('drops the expired at both ends of a lane while the newest run first', () => {
    const { queue, drops } = makeQueue();
    queue.push(request('a1', 'CRITICAL', 90), 0);
    queue.push(request('a2', 'CRITICAL', 900), 50);
    queue.push(request('a3', 'CRITICAL', 95), 60);
    expect(queue.take(100)?.name).toBe('a2');
    expect(drops).toEqual(['a1 expired 100', 'a3 expired 100']);
  });

  it('says of an evicted one that it has expired, if it has', () => {
    const { queue, drops, push } = makeQueue({ maxWaiting: 1 });
    queue.push(request('s1', 'SHEDDABLE', 10), 0);
    push('a1', 10);
    expect(drops).toEqual(['s1 expired 10']);
  });

  it('learns nothing from takes that found only expired ones', () => {
    const { queue } = makeQueue();
    for (const [i, deadlineMs] of [100, 100, 3].entries())
      queue.push(request(`a${i}`, 'CRITICAL', deadlineMs), 0);
    queue.take(0);
    queue.take(2);
    expect(queue.take(4)).toBeUndefined();
    expect(queue.explain(4).takeIntervalMs).toBe(2);
    queue.push(request('a4'), 50);
    queue.take(50);
    expect(queue.explain(50).takeIntervalMs).toBe(2);
  });
});

describe('those who come and go', () => {
  it('can leave from anywhere, once', () => {
    const { queue, takeAll } = makeQueue();
    const requests = ['a1', 'a2', 'a3', 'b1'].map((name) => request(name));
    for (const one of requests) queue.push(one, 0);
    expect(queue.remove(requests[1]!)).toBe(true);
    expect(queue.remove(requests[1]!)).toBe(false);
    expect(queue.remove(request('a1'))).toBe(false);
    expect(queue.size).toBe(3);
    expect(takeAll(1)).toBe('a1 b1 a3');
    expect(queue.remove(requests[0]!)).toBe(false);
  });

  it('can wait only once at a time', () => {
    const { queue } = makeQueue();
    const again = request('a1');
    queue.push(again, 0);
    expect(() => queue.push(again, 0)).toThrow('only once');
    expect(queue.size).toBe(1);
    queue.take(1);
    expect(queue.push(again, 1)).toBe(true);
  });

  it('tells how long the last one waited', () => {
    const { push, queue } = makeQueue();
    expect(queue.lastWaitMs).toBe(0);
    push('a1', 5);
    queue.take(17);
    expect(queue.lastWaitMs).toBe(12);
    queue.take(30);
    expect(queue.lastWaitMs).toBe(12);
  });

  it('may be pushed and removed by whoever is told of a drop', () => {
    const last = request('a3');
    const log: string[] = [];
    const queue: RunQueue<Named> = new RunQueue<Named>(
      ({ name }, reason, now) => {
        log.push(`${name} ${reason}`);
        queue.remove(last);
        if (name === 's1') queue.push(request('c1', 'CRITICAL_PLUS'), now);
      },
      { maxWaiting: 2 },
    );
    queue.push(request('s1', 'SHEDDABLE'), 0);
    queue.push(request('a1', 'CRITICAL', 5), 0);
    queue.push(last, 0);
    expect(log).toEqual(['s1 evicted']);
    expect(queue.size).toBe(2);
    expect(queue.take(5)?.name).toBe('c1');
    expect(queue.take(5)).toBeUndefined();
    expect(log).toEqual(['s1 evicted', 'a1 expired']);
  });

  it('are both out before anybody is told, when two have to go', () => {
    const s1 = request('s1', 'SHEDDABLE');
    const log: unknown[] = [];
    const queue: RunQueue<Named> = new RunQueue<Named>(({ name }) =>
      log.push(name, queue.size, queue.remove(s1)),
    );
    queue.push(s1, 0);
    for (let i = 1; i <= 8; i++) queue.push(request(`f${i}`), 0);
    for (const now of [0, 25, 50]) queue.take(now);
    // Five of 25 ms each are too many, and s1 waits behind them.
    expect(queue.push(request('l1'), 50)).toBe(true);
    expect(log).toEqual(['f8', 5, false, 's1', 5, false]);
  });
});

describe('while nothing is taken', () => {
  it('those go that have waited too long or past their deadline, of any customer and criticality', () => {
    const { queue, drops, push, takeAll } = makeQueue({ maxAgeMs: 60 });
    push('a1', 0);
    push('a2', 39);
    push('a3', 40);
    push('b1', 10, 'SHEDDABLE');
    queue.push(request('c1', 'CRITICAL_PLUS', 70), 65);
    queue.push(request('c2', 'CRITICAL_PLUS', 101), 65);
    queue.push(request('c3', 'CRITICAL_PLUS', 90), 30);
    queue.expire(60);
    expect(drops).toEqual([]);
    queue.expire(100);
    expect(drops.toSorted()).toEqual([
      'a1 evicted 100',
      'a2 evicted 100',
      'b1 evicted 100',
      'c1 expired 100',
      'c3 expired 100',
    ]);
    expect(queue.size).toBe(2);
    expect(takeAll(100)).toBe('c2 a3');
  });

  it('all of them are out before anybody is told', () => {
    const requests = ['a1', 'a2', 'b1'].map((name) => request(name));
    const log: unknown[] = [];
    const queue: RunQueue<Named> = new RunQueue<Named>(
      ({ name }) => log.push(name, queue.size, ...requests.map((one) => queue.remove(one))),
      { maxAgeMs: 60 },
    );
    for (const one of requests) queue.push(one, 0);
    queue.expire(61);
    expect(log).toEqual(['a1', 'a2', 'b1'].flatMap((name) => [name, 0, false, false, false]));
  });

  it('without a bound on their age only deadlines count', () => {
    const { queue, drops, push } = makeQueue();
    push('a1', 0);
    queue.push(request('a2', 'CRITICAL', 50), 0);
    queue.expire(3_600_000);
    expect(drops).toEqual(['a2 expired 3600000']);
  });
});

describe('one that passes an empty queue', () => {
  it('leaves it as if it had been pushed and taken at once', () => {
    const passed = makeQueue();
    const taken = makeQueue();
    for (const { queue, push, teach } of [passed, taken]) {
      teach(4, 100);
      push('a1', 100);
      queue.take(112);
      expect(queue.lastWaitMs).toBe(12);
    }
    for (const now of [150, 180, 181]) {
      passed.queue.pass(now);
      taken.push('b1', now);
      taken.queue.take(now);
      expect(passed.queue.explain(now)).toEqual(taken.queue.explain(now));
    }
    for (const { push } of [passed, taken]) for (const name of ['c1', 'c2', 'c3']) push(name, 200);
    for (const now of [200, 210, 260]) {
      expect(passed.queue.take(now)?.name).toBe(taken.queue.take(now)?.name);
      expect(passed.queue.explain(now)).toEqual(taken.queue.explain(now));
      expect(passed.queue.explain(now + 40)).toEqual(taken.queue.explain(now + 40));
    }
  });

  it('is a first take: from then on what waits shows how slow the server is', () => {
    const { queue, push } = makeQueue();
    push('a1', 0);
    expect(queue.takeIntervalMs(30)).toBe(0);
    const known = makeQueue();
    known.queue.pass(0);
    known.push('a1', 10);
    expect(known.queue.takeIntervalMs(30)).toBe(20);
  });
});

type Step =
  | {
      readonly kind: 'push';
      readonly criticality: Criticality;
      readonly customer: string;
      readonly inMs: number;
    }
  | { readonly kind: 'take' }
  | { readonly kind: 'remove'; readonly back: number }
  | { readonly kind: 'pass'; readonly ms: number }
  /** Comes, and goes after a while in which nothing else happens. */
  | {
      readonly kind: 'visit';
      readonly criticality: Criticality;
      readonly customer: string;
      readonly ms: number;
    };

const kind = <K extends Step['kind']>(name: K) => fc.constant(name);
const criticality = fc.constantFrom<Criticality>(...CRITICALITIES, 'CRITICAL', 'CRITICAL', 'CRITICAL');
const customer = fc.constantFrom('a', 'b', 'c', 'f', 'f', 'f', 'f', 'f');
const ms = fc.nat({ max: 9 });
const push = fc.record({ kind: kind('push'), criticality, customer, inMs: fc.nat({ max: 90 }) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: push },
  { weight: 5, arbitrary: fc.record({ kind: kind('take') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('remove'), back: fc.nat({ max: 30 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('pass'), ms }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('visit'), criticality, customer, ms }) },
);
const history = fc.array(step, { minLength: 40, maxLength: 160, size: 'max' });
const SMALL: RunQueueOptions = {
  maxWaitMs: 30,
  tightWaitMs: 8,
  tightenAfterMs: 25,
  maxAgeMs: Number.POSITIVE_INFINITY,
  standingWaitMs: 0,
  leastRequests: 0,
  maxWaiting: 15,
};

type Queue = Pick<
  RunQueue<Named>,
  'push' | 'take' | 'remove' | 'size' | 'sizeOf' | 'lastWaitMs' | 'expectedWaitMs' | 'isOverloaded'
>;

/** All that can be seen of a queue while it lives through a history. Undefined if a visitor cost another its place. */
function live(make: (onDrop: OnDrop<Named>) => Queue, steps: readonly Step[], hasVisitors: boolean) {
  const log: unknown[] = [];
  const queue = make(({ name }, reason, now) => log.push(name, reason, now));
  const pushed: Named[] = [];
  let now = 0;
  for (const next of steps) {
    if (next.kind === 'push') {
      const { inMs, ...rest } = next;
      pushed.push({ ...rest, name: `${next.customer}${pushed.length}`, deadlineMs: now + inMs });
      log.push(queue.push(pushed.at(-1)!, now) ? 'in' : 'refused');
    } else if (next.kind === 'take') {
      log.push(queue.isOverloaded(now, 'CRITICAL'), queue.take(now)?.name, queue.lastWaitMs);
    } else if (next.kind === 'remove') {
      const leaver = pushed.at(-1 - next.back);
      if (leaver !== undefined) log.push(queue.remove(leaver));
    } else if (next.kind === 'pass') {
      now += next.ms;
    } else {
      const before = log.length;
      const visitor = { ...next, name: 'visitor', deadlineMs: now + 1 };
      const isIn = hasVisitors && queue.push(visitor, now);
      now += next.ms;
      if (isIn) queue.remove(visitor);
      if (log.length > before) return undefined;
    }
    log.push(
      queue.size,
      queue.sizeOf('CRITICAL'),
      queue.expectedWaitMs(now, 'CRITICAL'),
      queue.isOverloaded(now),
    );
  }
  return log;
}

describe('for any history', () => {
  it('does the same as a list that is searched from end to end', () => {
    const seen = { refused: 0, evicted: 0, expired: 0, overloaded: 0 };
    fc.assert(
      fc.property(history, (steps) => {
        const log = live((onDrop) => new RunQueue<Named>(onDrop, SMALL), steps, false)!;
        expect(log).toEqual(live((onDrop) => new NaiveRunQueue<Named>(onDrop, SMALL), steps, false));
        for (const reason of ['refused', 'evicted', 'expired'] as const) {
          seen[reason] += log.filter((entry) => entry === reason).length;
        }
        seen.overloaded += log.filter((entry) => entry === true).length;
      }),
      { numRuns: 80 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(200);
  });

  it('is as if those had never been pushed who left before anything else happened, or were refused', () => {
    let compared = 0;
    fc.assert(
      fc.property(history, (steps) => {
        const make = (onDrop: OnDrop<Named>) => new RunQueue<Named>(onDrop, SMALL);
        const log = live(make, steps, true);
        if (log === undefined) return;
        expect(log).toEqual(live(make, steps, false));
        compared++;
      }),
      { numRuns: 80 },
    );
    expect(compared).toBeGreaterThan(30);
  });
});

describe('one worker of 500 requests a second, 5 % CRITICAL_PLUS, clients that wait for a second', () => {
  it.each([2, 10])('serves as much at %d times the load, soon, and all that is most critical', (load) => {
    for (const seed of [1, 2, 3]) {
      const { goodput, p50WaitMs, p99WaitMs, plus } = simulate({ load, seed, seconds: 20 });
      expect(goodput).toBeGreaterThan(0.99 * 500);
      expect(p50WaitMs).toBeLessThan(2);
      // At twice the load the queue empties now and then by chance, and a burst may wait again: about 30 ms.
      expect(p99WaitMs).toBeLessThan(load === 2 ? 33 : 10);
      expect(plus.offered).toBeGreaterThan(900);
      expect(plus.served + plus.waiting).toBe(plus.offered);
    }
  });

  it('tells those that wait in vain within milliseconds, and refuses most at the door', () => {
    const { refused, evicted, p99EvictedMs } = simulate({ load: 10, seconds: 20 });
    expect(p99EvictedMs).toBeLessThan(15);
    expect(evicted).toBeLessThan(0.15 * refused);
  });

  it('at its very capacity serves most, without a long queue', () => {
    const { goodput, p99WaitMs } = simulate({ load: 1, seconds: 20 });
    expect(goodput).toBeGreaterThan(0.93 * 500);
    expect(p99WaitMs).toBeLessThan(40);
  });

  it('shares between two customers of whom one sends ten times as much', () => {
    const customer = (random: SeededRandom) => (random.next() < 10 / 11 ? 'f' : 'l');
    // At 2 times the load the small one asks for 91/s, less than its half: it gets it.
    const small = simulate({ load: 2, seconds: 10, plusShare: 0, customer });
    expect(small.customers.filter((name) => name === 'l').length).toBeGreaterThan(0.95 * 909);
    // At 10 times both ask for more than half: they take turns, one by one.
    const both = simulate({ load: 10, seconds: 10, plusShare: 0, customer });
    expect(both.customers.slice(1_000, 1_040).join('')).toBe('lf'.repeat(20));
    const share = both.customers.filter((name) => name === 'l').length / both.customers.length;
    expect(share).toBeGreaterThan(0.47);
  });
});
