import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { HeavyHitters } from './heavy-hitters.js';

const OPTIONS = { counters: 64, windowMs: 60_000, slots: 6 };

describe('HeavyHitters', () => {
  it('counts exactly while there are counters for all', () => {
    const hitters = new HeavyHitters(OPTIONS);
    for (let i = 0; i < 60; i++) for (let n = 0; n <= i; n++) hitters.add(`k${i}`, 1, n % 3 === 0, i);
    expect(hitters.top(2, 60)).toEqual([
      { key: 'k59', hits: 60, refused: 20 },
      { key: 'k58', hits: 59, refused: 20 },
    ]);
    expect(hitters.top(100, 60)).toHaveLength(60);
  });

  it('finds what is busy among a million others, and is at most N / counters too low', () => {
    const hitters = new HeavyHitters(OPTIONS);
    const random = new SeededRandom(7);
    const truth = new Map<string, number>();
    const total = 200_000;
    for (let i = 0; i < total; i++) {
      // A tenth each of the first five, the rest of keys that hardly come twice.
      const draw = random.next();
      const key = draw < 0.5 ? `busy${Math.floor(draw * 10)}` : `rare${Math.floor(random.next() * 1e6)}`;
      truth.set(key, (truth.get(key) ?? 0) + 1);
      hitters.add(key, 1, false, i / 10);
    }
    const top = hitters.top(10, total / 10);
    expect(new Set(top.slice(0, 5).map(({ key }) => key))).toEqual(
      new Set(['busy0', 'busy1', 'busy2', 'busy3', 'busy4']),
    );
    for (const { key, hits } of top) {
      expect(hits).toBeLessThanOrEqual(truth.get(key)!);
      expect(hits).toBeGreaterThanOrEqual(truth.get(key)! - total / OPTIONS.counters);
    }
    // What came once or twice does not look as busy as what it has displaced.
    for (const { hits } of top.slice(5)) expect(hits).toBeLessThan(10);
  });

  it('forgets what has left the window, slot by slot', () => {
    const hitters = new HeavyHitters({ counters: 2, windowMs: 1_000, slots: 2 });
    hitters.add('a', 5, true, 0);
    hitters.add('a', 1, false, 600);
    expect(hitters.top(5, 1_000)).toEqual([{ key: 'a', hits: 6, refused: 5 }]);
    expect(hitters.top(5, 1_500)).toEqual([{ key: 'a', hits: 1, refused: 0 }]);
    expect(hitters.top(5, 2_000)).toEqual([]);
  });

  it('forgets several slots at once, of each key its own', () => {
    const hitters = new HeavyHitters({ counters: 2, windowMs: 1_000, slots: 2 });
    for (const key of ['a', 'b']) hitters.add(key, 5, true, 0);
    for (const key of ['a', 'b']) hitters.add(key, 1, false, 600);
    expect(hitters.top(5, 1_500)).toEqual([
      { key: 'a', hits: 1, refused: 0 },
      { key: 'b', hits: 1, refused: 0 },
    ]);
    expect(hitters.top(5, 2_000)).toEqual([]);
  });

  it('takes over the smallest counter, and what it inherits leaves with time as well', () => {
    const hitters = new HeavyHitters({ counters: 2, windowMs: 1_000, slots: 2 });
    hitters.add('a', 10, false, 0);
    hitters.add('b', 3, false, 0);
    hitters.add('c', 1, true, 0);
    expect(hitters.top(5, 0)).toEqual([
      { key: 'a', hits: 10, refused: 0 },
      { key: 'c', hits: 1, refused: 1 },
    ]);
    // The counter of c holds 4, of which b's 3 are inherited: d takes the place of c, not that of a.
    hitters.add('d', 8, false, 0);
    expect(hitters.top(5, 0).map(({ key }) => key)).toEqual(['a', 'd']);
    hitters.add('e', 1, false, 1_600);
    hitters.add('f', 1, false, 1_600);
    expect(hitters.top(5, 1_600).map(({ key }) => key)).toEqual(['e', 'f']);
  });

  it('knows nobody after an hour of silence', () => {
    const hitters = new HeavyHitters(OPTIONS);
    for (let i = 0; i < 100; i++) hitters.add(`k${i}`, 1_000, true, i);
    expect(hitters.top(10, 3_600_000)).toEqual([]);
    hitters.add('new', 1, false, 3_600_000);
    expect(hitters.top(10, 3_600_000)).toEqual([{ key: 'new', hits: 1, refused: 0 }]);
  });

  it('refuses impossible options', () => {
    expect(() => new HeavyHitters({ ...OPTIONS, counters: 0 })).toThrow(
      'counters must be an integer >= 1, got 0',
    );
  });
});
