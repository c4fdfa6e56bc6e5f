import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../core/seeded-random.js';
import { BusyKeys } from './busy-keys.js';

function setUp() {
  let now = 0;
  let reads = 0;
  const random = new SeededRandom(11);
  const keys = new BusyKeys(
    () => {
      reads++;
      return now;
    },
    () => random.next(),
  );
  return {
    keys,
    at: (ms: number) => {
      now = ms;
    },
    reads: () => reads,
  };
}

describe('BusyKeys', () => {
  it('counts all of what is no rush', () => {
    const { keys, at } = setUp();
    for (let i = 0; i < 5_000; i++) {
      at(i * 10);
      keys.add(i % 5 === 0 ? 'a' : `b${i % 3}`, i % 2 === 0);
    }
    const top = keys.top();
    expect(top.reduce((sum, { hits }) => sum + hits, 0)).toBe(5_000);
    expect(top.find(({ key }) => key === 'a')).toEqual({ key: 'a', hits: 1_000, refused: 500 });
    expect(top[0]!.hits).toBeGreaterThan(1_300);
  });

  it('looks at some of what is, and knows the shares all the same, also of keys that come in turns', () => {
    const { keys, at, reads } = setUp();
    const seconds = 20;
    const perSecond = 50_000;
    for (let i = 0; i < seconds * perSecond; i++) {
      at((i * 1_000) / perSecond);
      keys.add(`k${i % 8}`, i % 8 === 3);
    }
    // The first second finds out how many come.
    expect(reads()).toBeLessThan(seconds * 220 + 2_000);
    const top = keys.top();
    expect(top).toHaveLength(8);
    for (const { key, hits, refused } of top) {
      expect(Math.abs(hits / ((seconds * perSecond) / 8) - 1)).toBeLessThan(0.2);
      expect(refused).toBe(key === 'k3' ? hits : 0);
    }
  });

  it('shows ten, and no more of a key than is read', () => {
    const { keys } = setUp();
    for (let i = 0; i < 30; i++) keys.add(`${i}${'x'.repeat(500)}`, false);
    expect(keys.top()).toHaveLength(10);
    expect(keys.top()[0]!.key).toHaveLength(128);
  });

  it('knows nobody before the first, and after an hour of silence counts all again', () => {
    const { keys, at } = setUp();
    expect(keys.top()).toEqual([]);
    for (let i = 0; i < 100_000; i++) {
      at(i / 100);
      keys.add('a', true);
    }
    at(3_600_000);
    expect(keys.top()).toEqual([]);
    for (let i = 0; i < 150; i++) keys.add('b', i % 3 === 0);
    expect(keys.top()).toEqual([{ key: 'b', hits: 150, refused: 50 }]);
  });
});
