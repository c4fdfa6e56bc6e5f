import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseSubset, Subset, type SubsettingAlgorithm, subsetOrder } from './index.js';

const ALGORITHMS: SubsettingAlgorithm[] = ['random', 'deterministic', 'rocksteadier'];

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `b${index}`);
}

/** Size 3 of 6, and the six in this client's order of preference. */
function small(algorithm: SubsettingAlgorithm) {
  const options = { algorithm, size: 3, clientId: 5 };
  const subset = new Subset(options);
  const change = subset.update(keys(6));
  const order = [...subsetOrder(6, options)].map((seat) => `b${seat}`);
  return { subset, change, order };
}

describe.each(ALGORITHMS)('Subset, %s', (algorithm) => {
  it('begins empty, then holds what chooseSubset says', () => {
    const empty = new Subset({ algorithm, size: 3, clientId: 5 });
    expect([empty.members, empty.preferred]).toEqual([[], []]);
    expect(empty.setUp('b0', true)).toEqual({ joined: [], left: [] });
    const { subset, change, order } = small(algorithm);
    expect(subset.members).toEqual(chooseSubset(keys(6), { algorithm, size: 3, clientId: 5 }));
    expect(change).toEqual({ joined: order.slice(0, 3), left: [] });
  });

  it('replaces the dead with as few moves as can be', () => {
    const { subset, order } = small(algorithm);
    const [a, b, c, first, second] = order as [string, string, string, string, string];
    expect(subset.setUp(a, false)).toEqual({ joined: [first], left: [a] });
    expect(subset.setUp(a, false)).toEqual({ joined: [], left: [] });
    expect(subset.setUp(b, false)).toEqual({ joined: [second], left: [b] });
    expect(subset.members).toEqual([c, first, second]);
    expect(subset.preferred).toEqual([a, b, c]);
    expect(subset.setUp(a, true)).toEqual({ joined: [a], left: [second] });
    expect(subset.setUp(b, true)).toEqual({ joined: [b], left: [first] });
    expect(subset.members).toEqual([a, b, c]);
  });

  it('passes over replacements that are down themselves', () => {
    const { subset, order } = small(algorithm);
    expect(subset.setUp(order[3]!, false)).toEqual({ joined: [], left: [] });
    expect(subset.setUp(order[0]!, false).joined).toEqual([order[4]]);
  });

  it('uses the few that are up, and keeps trying its own when none is', () => {
    const { subset, order } = small(algorithm);
    for (const key of order.slice(0, 5)) subset.setUp(key, false);
    expect(subset.members).toEqual([order[5]]);
    expect(subset.setUp(order[5]!, false)).toEqual({ joined: order.slice(0, 3), left: [order[5]] });
    expect(subset.setUp(order[4]!, true)).toEqual({ joined: [order[4]], left: order.slice(0, 3) });
  });

  it('uses all backends when they become fewer than its size, also none', () => {
    const { subset } = small(algorithm);
    expect(subset.update(['b0', undefined, 'b2']).joined.length).toBeLessThanOrEqual(2);
    expect(subset.members.toSorted()).toEqual(['b0', 'b2']);
    expect(subset.update([undefined]).left.toSorted()).toEqual(['b0', 'b2']);
    expect(subset.update([])).toEqual({ joined: [], left: [] });
    expect(subset.update(keys(6)).joined.length).toBe(3);
  });

  it('remembers who is down while it is listed, and forgets it with the seat', () => {
    const { subset, order } = small(algorithm);
    const dead = order[0]!;
    subset.setUp(dead, false);
    subset.update(keys(6));
    expect(subset.members).not.toContain(dead);
    subset.update(keys(6).map((key) => (key === dead ? undefined : key)));
    expect(subset.update(keys(6)).joined).toEqual([dead]);
    // Late news of a backend that is not listed must not meet it when it comes.
    expect(subset.setUp('b6', false)).toEqual({ joined: [], left: [] });
    subset.update(keys(7).map((key) => (order.slice(0, 4).includes(key) ? undefined : key)));
    expect(subset.members).toContain('b6');
  });

  it('refuses a list with the same backend twice, and stays as it was', () => {
    const { subset, order } = small(algorithm);
    expect(() => subset.update(['a', 'a'])).toThrow('backends must be distinct, got "a" twice');
    expect(subset.members).toEqual(order.slice(0, 3));
    expect(() => new Subset({ algorithm, size: 0, clientId: 5 })).toThrow(
      'size must be an integer >= 1, got 0',
    );
  });

  it('keeps its own copy of the list', () => {
    const list: string[] = keys(6);
    const subset = new Subset({ algorithm, size: 3, clientId: 5 });
    subset.update(list);
    list.fill('gone');
    for (const key of keys(3)) subset.setUp(key, false);
    expect(subset.members.toSorted()).toEqual(['b3', 'b4', 'b5']);
  });

  it('after any history: members are up and right in number, changes add up, one event moves one', () => {
    const events = fc.array(fc.tuple(fc.nat({ max: 24 }), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(
        fc.nat({ max: 100 }),
        fc.integer({ min: 1, max: 25 }),
        events,
        (clientId, size, history) => {
          const subset = new Subset({ algorithm, size, clientId });
          const connected = new Set(subset.update(keys(25)).joined);
          const down = new Set<string>();
          for (const [index, isUp] of history) {
            const hadUp = down.size < 25;
            if (isUp) down.delete(`b${index}`);
            else down.add(`b${index}`);
            const { joined, left } = subset.setUp(`b${index}`, isUp);
            for (const key of left) expect(connected.delete(key)).toBe(true);
            for (const key of joined) expect(connected.has(key)).toBe(false);
            for (const key of joined) connected.add(key);
            expect(new Set(subset.members)).toEqual(connected);
            if (down.size === 25) continue;
            expect(subset.members.length).toBe(Math.min(size, 25 - down.size));
            expect(subset.members.some((key) => down.has(key))).toBe(false);
            if (hadUp) expect(Math.max(joined.length, left.length)).toBeLessThanOrEqual(1);
          }
          for (const key of down) subset.setUp(key, true);
          expect(subset.members).toEqual(chooseSubset(keys(25), { algorithm, size, clientId }));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('the connections of a dead backend', () => {
  // 300 clients, 30 of 300 backends; dead in turn: the first, one in the middle, the last. Chance would give 30 balls
  // in 299 bins a fullest one of 2 or 3; Rocksteadier's clients look for replacements at places spread over the ring.
  it.each<[SubsettingAlgorithm, number]>([
    ['random', 3],
    ['deterministic', 2],
    ['rocksteadier', 1],
  ])('%s: spread over the others, at most %i more for any', (algorithm, most) => {
    const subsets = Array.from({ length: 300 }, (_, clientId) => {
      const subset = new Subset({ algorithm, size: 30, clientId });
      subset.update(keys(300));
      return subset;
    });
    for (const dead of ['b0', 'b150', 'b299']) {
      const more = new Map<string, number>();
      let lost = 0;
      for (const subset of subsets) {
        const { joined, left } = subset.setUp(dead, false);
        lost += left.length;
        for (const key of joined) more.set(key, (more.get(key) ?? 0) + 1);
        subset.setUp(dead, true);
      }
      expect([...more.values()].reduce((sum, count) => sum + count, 0)).toBe(lost);
      if (algorithm !== 'random') expect(lost).toBe(30);
      expect(Math.max(...more.values())).toBeLessThanOrEqual(most);
    }
  });
});
