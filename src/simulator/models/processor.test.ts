import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Kernel } from '../kernel/kernel.js';
import {
  At,
  anyActions,
  anyCores,
  anySpeed,
  changing,
  Job,
  reference,
  removing,
  simulate,
} from './processor.contract.js';
import { Processor } from './processor.js';

/** Works that note when they are done, on a processor of their own. */
function bench(cores: number, speed = 1) {
  const kernel = new Kernel();
  const processor = new Processor(kernel, cores, speed);
  const done: [name: number, now: number][] = [];
  const job = (name: number) => new Job(name, (self, now) => done.push([self.name, now]));
  const add = (name: number, costMs: number) => {
    const added = job(name);
    processor.add(added, costMs);
    return added;
  };
  return { kernel, processor, done, job, add };
}

describe('Processor', () => {
  it('does what counting every work down by itself does', () => {
    fc.assert(
      fc.property(anyActions(removing, changing), anyCores, anySpeed, (actions, ownCores, ownSpeed) => {
        const expected = reference(actions, ownCores, ownSpeed, 2_000);
        const actual = simulate(actions, ownCores, ownSpeed, 2_000);
        expect([...actual.ends.keys()].sort()).toEqual([...expected.ends.keys()].sort());
        for (const [name, end] of expected.ends) expect(actual.ends.get(name)).toBeCloseTo(end, 5);
        for (const [name, undone] of expected.undone) expect(actual.undone.get(name)).toBeCloseTo(undone, 5);
        expect(actual.usedMs).toBeCloseTo(expected.usedMs, 5);
        expect(actual.spentMs).toBeCloseTo(expected.spentMs, 5);
      }),
      { numRuns: 200 },
    );
  });

  it('spends what works cost, no more and no less', () => {
    fc.assert(
      fc.property(anyActions(removing), anyCores, anySpeed, (actions, ownCores, ownSpeed) => {
        const { usedMs, spentMs } = simulate(actions, ownCores, ownSpeed, 1_000);
        expect(usedMs * ownSpeed).toBeCloseTo(spentMs, 6);
      }),
      { numRuns: 100 },
    );
  });

  it('gives each work a core of its own while there are enough, and shares them alike when not', () => {
    const { kernel, processor, done, add } = bench(2, 2);
    add(1, 10);
    kernel.runUntil(1);
    // Two cores of speed 2 for three works: each goes at 4/3 until the first is done.
    add(2, 8);
    add(3, 16);
    expect(processor.active).toBe(3);
    kernel.runUntil(100);
    // 1 and 2 have 8 to go at 4/3, 6 ms; 3 has 8 left then, at 2.
    expect(done.map(([name]) => name)).toEqual([1, 2, 3]);
    expect(done.map(([, now]) => now)).toEqual([7, 7, 11]);
    expect(processor.active).toBe(0);
    expect(processor.usedMs()).toBeCloseTo(1 + 12 + 4, 12);
  });

  it('finishes equal ends in order of arrival', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 1, 2), { minLength: 1, maxLength: 40, size: 'max' }),
        (costs) => {
          const { kernel, done, add } = bench(1.5);
          for (const [name, cost] of costs.entries()) add(name, cost);
          kernel.runUntil(1_000);
          const byCost = [...costs.keys()].sort((a, b) => costs[a]! - costs[b]! || a - b);
          expect(done.map(([name]) => name)).toEqual(byCost);
        },
      ),
    );
  });

  it('counts used time without changing anything', () => {
    const { kernel, processor, done, add } = bench(1);
    add(1, 10);
    add(2, 10);
    const used: number[] = [];
    for (let now = 0; now <= 30; now += 5) {
      kernel.runUntil(now);
      used.push(processor.usedMs());
    }
    expect(used).toEqual([0, 5, 10, 15, 20, 20, 20]);
    expect(done).toEqual([
      [1, 20],
      [2, 20],
    ]);
  });

  it('stands still without cores, also for a work of no cost, and goes on from there', () => {
    const { kernel, processor, done, add } = bench(1);
    add(1, 10);
    kernel.runUntil(4);
    processor.setCapacity(0, 1);
    add(2, 0);
    expect(kernel.scheduled).toBe(0);
    kernel.runUntil(1_000);
    expect(done).toEqual([]);
    expect(processor.usedMs()).toBe(4);
    processor.setCapacity(1, 1);
    kernel.runUntil(2_000);
    expect(done).toEqual([
      [2, 1_000],
      [1, 1_006],
    ]);
  });

  it('says what is undone of a work that is removed, once', () => {
    const { kernel, processor, done, job, add } = bench(1);
    const [first, second] = [add(1, 10), add(2, 10)];
    kernel.runUntil(6);
    expect(processor.remove(first)).toBe(7);
    expect(processor.remove(first)).toBe(0);
    expect(processor.remove(job(3))).toBe(0);
    // On another processor it has a place too, but not here.
    const other = new Processor(kernel, 1, 1);
    expect(other.remove(second)).toBe(0);
    kernel.runUntil(100);
    expect(done).toEqual([[2, 13]]);
    expect(kernel.scheduled).toBe(0);
  });

  it('lets a work add and remove others, and itself again, when it is done', () => {
    const kernel = new Kernel();
    const processor = new Processor(kernel, 1, 1);
    const done: string[] = [];
    const last = new Job(3, (_, now) => done.push(`last ${now}`));
    const doomed = new Job(2, () => done.push('doomed'));
    let rounds = 0;
    const first = new Job(1, (self, now) => {
      done.push(`first ${now}`);
      expect(self.workPlace).toBe(-1);
      rounds++;
      if (rounds === 1) {
        expect(processor.remove(doomed)).toBe(0);
        processor.add(last, 0);
      }
      if (rounds < 3) processor.add(self, 5);
    });
    processor.add(first, 10);
    processor.add(doomed, 10);
    kernel.runUntil(1_000);
    expect(done).toEqual(['first 20', 'last 20', 'first 25', 'first 30']);
    expect(processor.usedMs()).toBe(30);
  });

  it('stops in the middle of what ends together when a work that is done takes the cores away', () => {
    const kernel = new Kernel();
    const processor = new Processor(kernel, 2, 1);
    const done: number[] = [];
    const then = (job: Job) => {
      done.push(job.name);
      if (job.name === 1) processor.setCapacity(0, 1);
    };
    processor.add(new Job(1, then), 10);
    processor.add(new Job(2, then), 10);
    kernel.runUntil(50);
    expect([done, kernel.scheduled]).toEqual([[1], 0]);
    processor.setCapacity(1, 1);
    kernel.runUntil(50);
    expect(done).toEqual([1, 2]);
  });

  it('never does a work of no cost before the one who added it has gone on', () => {
    const { kernel, done, add } = bench(1);
    add(1, 0);
    expect(done).toEqual([]);
    kernel.runUntil(0);
    expect(done).toEqual([[1, 0]]);
  });

  it('takes what ends together as one event', () => {
    const { kernel, done, add } = bench(2);
    for (const name of [1, 2, 3]) add(name, 10);
    kernel.runUntil(100);
    expect(done.map(([, now]) => now)).toEqual([15, 15, 15]);
    expect(kernel.events).toBe(1);
  });

  it('bears a crowd that comes at the very instant of an end', () => {
    for (let trial = 1; trial < 50; trial++) {
      // Late in a day an instant is rounded by more than V is, and the crowd makes much of the difference.
      const runs = [false, true].map((hasCrowd) => {
        const { kernel, processor, done, job, add } = bench(1);
        kernel.runUntil(86_400_000);
        const crowd = new At(() => Array.from({ length: 99 }, (_, name) => add(name + 2, 5)));
        return (endMs: number) => {
          if (hasCrowd) kernel.at(endMs, crowd);
          processor.add(job(1), trial / 7);
          kernel.runUntil(endMs + 1);
          return done[0]!;
        };
      });
      const [, endMs] = runs[0]!(86_400_100);
      const [name, crowdedEndMs] = runs[1]!(endMs);
      expect([name, crowdedEndMs >= endMs]).toEqual([1, true]);
      // What rounding left undone takes a hundred times as long.
      expect(crowdedEndMs).toBeCloseTo(endMs, 5);
    }
  });

  it('needs one event for each work after a day without a break, and is not late', () => {
    const kernel = new Kernel();
    const processor = new Processor(kernel, 0.7, 1.3);
    const DAY = 86_400_000;
    let count = 0;
    let spent = 0;
    // Two at a time, always: it is never idle, and V never starts anew. Costs that no double holds exactly.
    const again = (job: Job) => {
      if (kernel.now >= DAY) return;
      count++;
      spent += 1_000.1 * job.name;
      processor.add(job, 1_000.1 * job.name);
    };
    for (const name of [1, 3]) processor.add(new Job(name, again), 1_000.1 * name);
    kernel.runUntil(DAY);
    expect(count).toBeGreaterThan(50_000);
    expect(kernel.events).toBeLessThanOrEqual(count);
    expect(Math.abs(processor.usedMs() / (0.7 * DAY) - 1)).toBeLessThan(1e-12);
    // Of the two under way, no more than their cost is not in it.
    expect(Math.abs(processor.usedMs() * 1.3 - spent)).toBeLessThan(4_001);
  });

  it('is as exact after a day of idling as at first', () => {
    const { kernel, processor, add } = bench(1);
    for (let round = 0; round < 1_000; round++) {
      add(round, 86_399);
      kernel.runUntil((round + 1) * 86_400);
    }
    const late = add(1_000, 0.1);
    // Had V gone on, its end would be rounded to a hundredth of a microsecond.
    expect(late.workEnd).toBe(0.1);
    expect(processor.remove(late)).toBe(0.1);
  });

  it('does not move its timer when nothing about it has changed', () => {
    const { kernel, processor, done, add } = bench(4);
    add(1, 10);
    const order: string[] = [];
    kernel.at(10, new At(() => order.push(`other, after ${done.length}`)));
    kernel.runUntil(5);
    // The first end and the rate are as before: of the instant 10, the work still comes first.
    add(2, 100);
    processor.setCapacity(3, 1);
    kernel.runUntil(10);
    expect(order).toEqual(['other, after 1']);
  });

  it('refuses what cannot be', () => {
    const { kernel, processor, job, add } = bench(1);
    const there = add(1, 1);
    expect(() => processor.add(there, 1)).toThrow('a work can be on a processor only once');
    expect(() => new Processor(kernel, 1, 1).add(there, 1)).toThrow('only once');
    expect(() => processor.add(job(2), -1)).toThrow('costMs must be a finite number >= 0, got -1');
    expect(() => processor.setCapacity(-1, 1)).toThrow('cores must be a finite number >= 0, got -1');
    expect(() => processor.setCapacity(1, 0)).toThrow('speed must be a finite number > 0, got 0');
    expect(() => new Processor(kernel, Number.NaN, 1)).toThrow('cores must be');
    expect(() => new Processor(kernel, 1, -1)).toThrow('speed must be');
  });
});
