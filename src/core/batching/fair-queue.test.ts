import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue, OTHER_JOBS } from './fair-queue.js';
import type { FairQueueOptions } from './fair-queue-options.js';
import { BatchPlace } from './job-lane.js';

const NEVER = Number.POSITIVE_INFINITY;

function make(options: Partial<FairQueueOptions> = {}) {
  const queue = new FairQueue<string>(options);
  const push = (job: string, now = 0, deadlineMs = NEVER) => queue.push(job, job, deadlineMs, now);
  const pushed = (job: string, now = 0, deadlineMs = NEVER) => {
    const place = push(job, now, deadlineMs);
    if (!(place instanceof BatchPlace)) throw new Error(`refused: ${place}`);
    return place;
  };
  /** Takes one and ends it at a cost of its job's. */
  const serve = (costOf: (job: string) => number = () => 1, now = 0) => {
    const place = queue.take(now);
    if (place !== undefined) queue.finish(place, costOf(place.request));
    return place?.request;
  };
  return { queue, push, pushed, serve };
}

describe('FairQueue', () => {
  it('gives nothing when nobody waits', () => {
    const { queue } = make();
    expect([queue.take(0), queue.expired(0), queue.size, queue.jobs]).toEqual([undefined, undefined, 0, 0]);
  });

  it('takes jobs in turn, and each job in the order in which it came', () => {
    const { queue } = make();
    for (const request of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.push(request, request[0]!, NEVER, 0);
    const order = Array.from({ length: 6 }, () => {
      const place = queue.take(0)!;
      queue.finish(place, 1);
      return place.request;
    });
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('serves a newcomer with the next round, however many wait of the others', () => {
    const { pushed, serve } = make();
    for (let i = 0; i < 1_000; i++) pushed('a');
    for (let i = 0; i < 10; i++) serve();
    pushed('b');
    expect([serve(), serve()]).toContain('b');
  });

  it('shares by what requests cost, as long as everybody has some', () => {
    const costs = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 16 }), (list, atOnce) => {
        const { queue, pushed } = make();
        const used = list.map(() => 0);
        const underWay: BatchPlace<string>[] = [];
        const backlog = () =>
          list.forEach((_, job) => {
            pushed(String(job));
          });
        for (let i = 0; i < atOnce + 2; i++) backlog();
        for (let i = 0; i < 4_000; i++) {
          while (underWay.length < atOnce) {
            const place = queue.take(0)!;
            underWay.push(place);
            pushed(place.request);
          }
          const place = underWay.splice((i * 7) % underWay.length, 1)[0]!;
          const cost = list[Number(place.request)]!;
          queue.finish(place, cost);
          // The first ones are served before anybody knows what they cost.
          if (i >= 1_000) used[Number(place.request)]! += cost;
        }
        const share = used.reduce((sum, each) => sum + each) / used.length;
        const dearest = Math.max(...list);
        for (const each of used) expect(Math.abs(each - share)).toBeLessThan(0.05 * share + 2 * dearest);
      }),
      { numRuns: 50 },
    );
  });

  it('lets no job have more than its share by having one at a time and coming back', () => {
    const { queue, pushed } = make();
    for (let i = 0; i < 100; i++) pushed('patient');
    pushed('eager');
    const used: Record<string, number> = { patient: 0, eager: 0 };
    for (let i = 0; i < 2_000; i++) {
      const place = queue.take(0)!;
      const cost = place.request === 'eager' ? 20 : 1;
      queue.finish(place, cost);
      if (i >= 200) used[place.request]! += cost;
      pushed(place.request);
    }
    expect(used['eager']! / used['patient']!).toBeGreaterThan(0.9);
    expect(used['eager']! / used['patient']!).toBeLessThan(1.1);
  });

  it.each([10, 100])('remembers what a job owes that has nothing waiting, %i requests later', (later) => {
    const { queue, pushed, serve } = make();
    for (let i = 0; i < 400; i++) pushed('patient');
    for (let i = 0; i < 50; i++) serve();
    pushed('eager');
    let eager = queue.take(0)!;
    while (eager.request !== 'eager') {
      queue.finish(eager, 1);
      eager = queue.take(0)!;
    }
    for (let i = 0; i < later; i++) serve();
    queue.finish(eager, 10);
    pushed('eager');
    let between = 0;
    while (serve() === 'patient') between++;
    expect(between).toBeGreaterThanOrEqual(6);
    expect(between).toBeLessThanOrEqual(12);
  });

  it('serves all while some cost nothing', () => {
    const { pushed, serve } = make();
    for (let i = 0; i < 6_000; i++) for (const job of ['free', 'dear']) pushed(job);
    let between = 0;
    let longest = 0;
    for (let i = 0; i < 6_000; i++) {
      between = serve((job) => (job === 'free' ? 0 : 10)) === 'free' ? between + 1 : 0;
      longest = Math.max(longest, between);
    }
    expect(longest).toBeGreaterThan(100);
    expect(longest).toBeLessThanOrEqual(64 * 8);
  });

  it('charges all alike when nothing costs anything', () => {
    const { pushed, serve } = make();
    for (let i = 0; i < 4; i++) for (const job of ['a', 'b']) pushed(job);
    const order = Array.from({ length: 8 }, () => serve(() => 0));
    expect(order.join('')).toBe('abababab');
  });

  it('does not put a job off that was charged too much', () => {
    const { queue, pushed, serve } = make();
    for (let i = 0; i < 20; i++) for (const job of ['a', 'b']) pushed(job);
    for (let i = 0; i < 4; i++) serve();
    const underWay = Array.from({ length: 8 }, () => queue.take(0)!);
    for (const place of underWay) queue.finish(place, place.request === 'a' ? 0 : 1);
    expect(Array.from({ length: 8 }, () => serve()).join('')).toBe('abababab');
  });

  it('charges no more than 64 averages for one, and a job that owes them comes back', () => {
    const { queue, pushed, serve } = make();
    for (let i = 0; i < 3_000; i++) for (const job of ['a', 'b']) pushed(job);
    serve();
    serve();
    const long = queue.take(0)!;
    const other = long.request === 'a' ? 'b' : 'a';
    queue.finish(long, 100_000);
    let between = 0;
    while (serve() === other) between++;
    expect(between).toBeGreaterThan(20);
    expect(between).toBeLessThanOrEqual(64 * 8);
  });

  describe('bounds', () => {
    it('the places that one job has by those that are free, and always has some for another', () => {
      const { queue, push } = make({ maxWaiting: 90 });
      for (let i = 0; i < 90; i++) push('a');
      expect(queue.size).toBe(60);
      expect(push('a')).toBe('job-full');
      for (let i = 0; i < 90; i++) push('b');
      expect(queue.size).toBe(80);
      expect(push('c')).toBeInstanceOf(BatchPlace);
    });

    it('the places of one job', () => {
      const { push } = make({ maxWaitingPerJob: 2 });
      expect([push('a'), push('a'), push('a')].at(-1)).toBe('job-full');
      expect(push('b')).toBeInstanceOf(BatchPlace);
    });

    it('all places', () => {
      const { push } = make({ maxWaiting: 3 });
      for (const job of ['a', 'b', 'c']) expect(push(job)).toBeInstanceOf(BatchPlace);
      expect(push('d')).toBe('queue-full');
    });

    it('the jobs that are told apart: those beyond share one lane', () => {
      const { queue, pushed, serve } = make({ maxJobs: 2 });
      for (let i = 0; i < 3; i++) for (const job of ['a', 'b', 'c', 'd', OTHER_JOBS]) pushed(job);
      expect(queue.jobs).toBe(2);
      expect(queue.readings(10, 5).map(({ job, waiting }) => [job, waiting])).toEqual([
        ['(others)', 9],
        ['a', 3],
        ['b', 3],
      ]);
      expect(Array.from({ length: 6 }, () => serve()).join('')).toBe('abcabd');
      while (serve() !== undefined);
      expect([queue.jobs, queue.size, queue.readings(10, 5)]).toEqual([0, 0, []]);
      expect(pushed('e').lane.job).toBe('e');
    });

    it('a job that is called as those beyond are is a job like any other', () => {
      const { queue, pushed, serve } = make({ maxJobs: 1 });
      for (let i = 0; i < 6; i++) pushed(OTHER_JOBS);
      pushed('beyond');
      expect([serve(), serve(), serve(), serve()]).toContain('beyond');
      expect(queue.jobs).toBe(1);
      expect(queue.removeJob(OTHER_JOBS)).toHaveLength(3);
    });

    it('what is kept: a job is forgotten with the end of its last, also when that ends after its turn', () => {
      const { queue, pushed } = make();
      const place = pushed('a');
      expect([queue.take(0), queue.take(0), queue.jobs]).toEqual([place, undefined, 1]);
      queue.finish(place, 1);
      expect(queue.jobs).toBe(0);
    });

    it('what is kept: nothing of jobs of which nothing is left', () => {
      const { queue, pushed, serve } = make();
      for (let i = 0; i < 5_000; i++) {
        pushed(`job ${i}`);
        serve();
      }
      expect(queue.take(0)).toBeUndefined();
      expect(queue.jobs).toBe(0);
    });
  });

  describe('time', () => {
    it('refuses what is late', () => {
      expect(make().push('a', 10, 10)).toBe('late');
      expect(make().push('a', 10, Number.NaN)).toBe('late');
    });

    it('hands out those whose time is over, and takes none of them', () => {
      const { queue, pushed } = make({ maxWaitMs: 1_000 });
      const late = pushed('a', 0, 500.5);
      const patient = pushed('a', 0);
      expect([late.isDeadline, patient.isDeadline]).toEqual([true, false]);
      expect(queue.expired(500)).toBeUndefined();
      // Between two slots of the wheel.
      expect(queue.take(501)).toBe(patient);
      expect(queue.size).toBe(1);
      expect(queue.expired(501)).toBe(late);
      expect([queue.size, late.state]).toEqual([0, 'over']);
    });

    it('takes a deadline at the end of the longest wait for the cause', () => {
      const { pushed } = make({ maxWaitMs: 1_000 });
      expect([pushed('a', 0, 1_000).isDeadline, pushed('a', 0, 1_001).isDeadline]).toEqual([true, false]);
    });

    it('sends nothing at the very instant of its deadline', () => {
      const { queue, pushed } = make({ maxWaitMs: 1_000 });
      pushed('a', 0, 501);
      expect(queue.take(501)).toBeUndefined();
    });

    it('bounds the wait of all, an idle hour included', () => {
      const { queue, pushed } = make({ maxWaitMs: 1_000 });
      const place = pushed('a', 0);
      expect(queue.take(3_600_000)).toBeUndefined();
      expect([queue.expired(3_600_000), queue.expired(3_600_000)]).toEqual([place, undefined]);
      expect(queue.jobs).toBe(0);
    });

    it('counts those who have not been told as waiting', () => {
      const { queue, push } = make({ maxWaiting: 1, maxWaitMs: 1_000 });
      push('a', 0);
      expect(push('b', 2_000)).toBe('queue-full');
      queue.expired(2_000);
      expect(push('b', 2_000)).toBeInstanceOf(BatchPlace);
    });
  });

  describe('leaving', () => {
    it('removes one from anywhere, once', () => {
      const { queue, pushed } = make({ maxWaitMs: 1_000 });
      const [first, second, third] = [pushed('a'), pushed('a'), pushed('a')];
      expect([queue.remove(second), queue.remove(second)]).toEqual([true, false]);
      expect(queue.take(0)).toBe(first);
      expect(queue.remove(first)).toBe(false);
      // Overdue, and not told.
      queue.take(2_000);
      expect(queue.size).toBe(1);
      expect([queue.remove(third), queue.size]).toEqual([true, 0]);
      expect(queue.expired(2_000)).toBeUndefined();
    });

    it('takes along all that waits of a job', () => {
      const { queue, pushed } = make();
      for (const job of ['a', 'b', 'a']) pushed(job);
      expect([queue.removeJob('a'), queue.removeJob('nobody')]).toEqual([['a', 'a'], []]);
      expect([queue.size, queue.take(0)?.request, queue.take(0)]).toEqual([1, 'b', undefined]);
      expect(queue.jobs).toBe(1);
    });

    it('clears all jobs', () => {
      const { queue, pushed } = make();
      for (const job of ['a', 'b', 'a']) pushed(job);
      expect(queue.clear(0)).toEqual(['a', 'a', 'b']);
      expect(queue.size).toBe(0);
    });

    it('clears everything', () => {
      const { queue, pushed } = make({ maxJobs: 1, maxWaitMs: 1_000 });
      pushed('late', 0, 10);
      for (const job of ['late', 'b', 'c']) pushed(job, 0);
      queue.take(11);
      expect(queue.clear(12).sort()).toEqual(['b', 'c', 'late']);
      expect(queue.size).toBe(0);
    });
  });

  it('knows how long the oldest of a job waits', () => {
    const { queue, pushed } = make();
    pushed('a', 100);
    pushed('a', 200);
    pushed('b', 200);
    queue.take(250);
    expect(queue.readings(1, 300)).toEqual([
      { job: 'a', waiting: 1, underWay: 1, taken: 1, oldestWaitMs: 100 },
    ]);
    queue.take(300);
    expect(queue.readings(2, 300)[1]).toEqual({
      job: 'b',
      waiting: 0,
      underWay: 1,
      taken: 1,
      oldestWaitMs: 0,
    });
    expect(queue.underWay).toBe(2);
  });

  it('tells first of jobs with more under way, where as many wait', () => {
    const { queue, pushed } = make();
    for (const job of ['a', 'b', 'c', 'b', 'c', 'c']) pushed(job);
    for (let i = 0; i < 6; i++) queue.take(0);
    expect(queue.readings(3, 0).map(({ job, underWay }) => [job, underWay])).toEqual([
      ['c', 3],
      ['b', 2],
      ['a', 1],
    ]);
  });

  it('refuses to be told nonsense', () => {
    const { queue, pushed } = make();
    const place = pushed('a');
    expect(() => queue.finish(place, 1)).toThrow('a request was finished that is waiting');
    queue.take(0);
    expect(() => queue.finish(place, Number.NaN)).toThrow('cost must be');
    queue.finish(place, 1);
    expect(() => queue.finish(place, 1)).toThrow('that is over');
  });

  it('loses nobody and invents nobody, whatever happens', () => {
    const step = fc.record({
      what: fc.constantFrom('push', 'push', 'push', 'take', 'finish', 'remove', 'expired', 'leave'),
      job: fc.constantFrom('a', 'b', 'c', 'd'),
      passMs: fc.nat(30),
      any: fc.nat(1_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const { queue, push } = make({ maxWaiting: 20, maxJobs: 2, maxWaitMs: 400 });
        const waiting = new Set<BatchPlace<string>>();
        const underWay: BatchPlace<string>[] = [];
        let now = 0;
        for (const { what, job, passMs, any } of steps) {
          now += passMs;
          if (what === 'push') {
            const place = push(job, now, any < 300 ? now + any : NEVER);
            if (place instanceof BatchPlace) waiting.add(place);
          } else if (what === 'take') {
            const place = queue.take(now);
            if (place === undefined) expect([...waiting].every((each) => each.expiryMs <= now)).toBe(true);
            else {
              expect(waiting.delete(place) && place.expiryMs > now).toBe(true);
              underWay.push(place);
            }
          } else if (what === 'finish') {
            const place = underWay.splice(any % (underWay.length + 1), 1)[0];
            if (place !== undefined) queue.finish(place, any);
          } else if (what === 'remove') {
            const place = [...waiting][any % (waiting.size + 1)];
            if (place !== undefined) expect(queue.remove(place) && waiting.delete(place)).toBe(true);
          } else if (what === 'expired') {
            const place = queue.expired(now);
            if (place !== undefined) expect(waiting.delete(place) && place.expiryMs <= now).toBe(true);
          } else {
            queue.removeJob(job);
            for (const place of waiting) if (place.state === 'over') waiting.delete(place);
          }
          expect([queue.size, queue.underWay]).toEqual([waiting.size, underWay.length]);
          expect(queue.jobs).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});
