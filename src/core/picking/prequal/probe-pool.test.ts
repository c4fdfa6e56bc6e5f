import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Backend } from '../../health/backend.js';
import { type PooledEntry, ProbePool } from './probe-pool.js';

const makeEntry = (index: number): PooledEntry => ({ backend: new Backend(`b${index}`), slot: -1 });
let entries: PooledEntry[] = [];
beforeEach(() => {
  entries = Array.from({ length: 6 }, (_, index) => makeEntry(index));
});
const anyone = () => true;

/** b0, b1, … with these numbers in flight and latencies, seen at 0, 1, … */
function pool(answers: [inFlight: number, latencyMs: number][], capacity = 8): ProbePool<PooledEntry> {
  const made = new ProbePool<PooledEntry>(capacity);
  for (const entry of entries) entry.slot = -1;
  for (const [index, [inFlight, latencyMs]] of answers.entries()) {
    made.add(entries[index]!, inFlight, latencyMs, 10, index);
  }
  return made;
}

const keyAt = (made: ProbePool<PooledEntry>, slot: number) => made.entryAt(slot).backend.key;
const keys = (made: ProbePool<PooledEntry>) =>
  Array.from({ length: made.size }, (_, slot) => keyAt(made, slot)).sort();

describe('the hot–cold rule', () => {
  it('takes the fastest of the cold ones, however few the hot ones have in flight', () => {
    const made = pool([
      [9, 1],
      [3, 50],
      [2, 80],
      [8, 2],
    ]);
    expect(keyAt(made, made.best(5, anyone))).toBe('b1');
  });

  it('takes the one with the fewest in flight when all are hot', () => {
    const made = pool([
      [9, 1],
      [7, 50],
      [8, 2],
    ]);
    expect(keyAt(made, made.best(5, anyone))).toBe('b1');
  });

  it('calls exactly the threshold cold', () => {
    const made = pool([
      [4, 9],
      [5, 3],
      [6, 1],
    ]);
    expect(keyAt(made, made.best(5, anyone))).toBe('b1');
  });

  it('passes over those that may not be chosen', () => {
    const made = pool([
      [1, 1],
      [9, 5],
      [1, 2],
    ]);
    expect(
      keyAt(
        made,
        made.best(5, (entry) => entry.backend.key !== 'b0'),
      ),
    ).toBe('b2');
    expect(
      keyAt(
        made,
        made.best(5, (entry) => entry.backend.key === 'b1'),
      ),
    ).toBe('b1');
    expect(made.best(5, () => false)).toBe(-1);
  });

  it('calls worst the hot one with the most in flight, else the slowest', () => {
    expect(
      keyAt(
        pool([
          [1, 99],
          [7, 1],
          [9, 2],
          [8, 3],
        ]),
        2,
      ),
    ).toBe('b2');
    const mixed = pool([
      [1, 99],
      [7, 1],
      [9, 2],
      [8, 3],
    ]);
    expect(keyAt(mixed, mixed.worst(5))).toBe('b2');
    const hotFirst = pool([
      [9, 1],
      [1, 99],
    ]);
    expect(keyAt(hotFirst, hotFirst.worst(5))).toBe('b0');
    const cold = pool([
      [1, 30],
      [2, 70],
      [3, 50],
    ]);
    expect(keyAt(cold, cold.worst(5))).toBe('b1');
  });

  it('agrees with a sort, for any pool', () => {
    const answers = fc.array(fc.tuple(fc.nat(10), fc.nat(10)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(answers, fc.nat(10), (given, threshold) => {
        const made = pool(given);
        const byRule = given.toSorted(([inFlightA, latencyA], [inFlightB, latencyB]) => {
          const isHotA = inFlightA > threshold;
          const isHotB = inFlightB > threshold;
          if (isHotA !== isHotB) return isHotA ? 1 : -1;
          return isHotA ? inFlightA - inFlightB : latencyA - latencyB;
        });
        const rank = (slot: number) => {
          const [inFlight, latencyMs] = given[Number(keyAt(made, slot).slice(1))]!;
          return inFlight > threshold ? ['hot', inFlight] : ['cold', latencyMs];
        };
        const rankOf = ([inFlight, latencyMs]: [number, number]) =>
          inFlight > threshold ? ['hot', inFlight] : ['cold', latencyMs];
        expect(rank(made.best(threshold, anyone))).toEqual(rankOf(byRule[0]!));
        expect(rank(made.worst(threshold))).toEqual(rankOf(byRule.at(-1)!));
      }),
    );
  });
});

describe('the probe pool', () => {
  it('keeps one answer a backend, the newest', () => {
    const made = pool([
      [1, 10],
      [1, 20],
    ]);
    made.add(entries[0]!, 1, 30, 10, 9);
    expect(made.size).toBe(2);
    expect(keyAt(made, made.best(5, anyone))).toBe('b1');
  });

  it('pushes out the oldest when it is full', () => {
    const made = pool(
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
      3,
    );
    made.add(entries[4]!, 1, 1, 10, 7);
    expect(keys(made)).toEqual(['b1', 'b2', 'b4']);
    // Wherever it stands by now.
    made.add(entries[5]!, 1, 1, 10, 8);
    expect(keys(made)).toEqual(['b2', 'b4', 'b5']);
  });

  it('forgets what is too old, one backend, or those no longer wanted', () => {
    const made = pool([
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    made.expire(1);
    expect(keys(made)).toEqual(['b2', 'b3']);
    made.forget(entries[2]!);
    made.forget(entries[5]!);
    expect(keys(made)).toEqual(['b3']);
    made.retain(() => false);
    expect(made.size).toBe(0);
  });

  it('counts a pick as one more in flight, and drops an answer that is used up', () => {
    const made = new ProbePool<PooledEntry>(4);
    made.add(entries[0]!, 5, 1, 2, 0);
    made.add(entries[1]!, 6, 9, 2, 0);
    made.use(0);
    // b0 has 6 in flight now: hot at a threshold of 5, and no better than b1.
    expect(made.best(5, (entry) => entry === entries[0])).toBe(0);
    expect(keyAt(made, made.worst(5))).toBe('b0');
    made.use(0);
    expect(keys(made)).toEqual(['b1']);
  });
});
