import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseSubset, type SubsettingAlgorithm, type SubsettingOptions, subsetOrder } from './index.js';

const ALGORITHMS: SubsettingAlgorithm[] = ['random', 'deterministic', 'rocksteadier'];

const cases = fc.integer({ min: 1, max: 150 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    size: fc.integer({ min: 1, max: count }),
    clientId: fc.oneof(fc.nat({ max: 500 }), fc.maxSafeNat()),
    seed: fc.nat({ max: 0xffff_ffff }),
    algorithm: fc.constantFrom(...ALGORITHMS),
  }),
);

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `b${index}`);
}

describe('subsetOrder', () => {
  // Clients of different versions share a service: these may never change.
  it.each<[SubsettingAlgorithm, number, number, number, number, number[]]>([
    ['random', 12, 3, 0, 0, [2, 6, 5, 0, 11, 7, 4, 10, 1, 9, 3, 8]],
    ['random', 12, 3, 9, 0, [6, 7, 10, 2, 11, 5, 4, 0, 3, 1, 8, 9]],
    ['random', 25, 6, 11, 7, [0, 19, 13, 2, 12, 3, 9, 14]],
    ['deterministic', 12, 3, 0, 0, [1, 7, 8, 11, 4, 3, 6, 0, 10, 9, 2, 5]],
    ['deterministic', 12, 3, 9, 0, [8, 5, 10, 3, 2, 6, 0, 4, 9, 11, 7, 1]],
    ['deterministic', 25, 6, 11, 7, [12, 16, 17, 1, 13, 15, 2, 21]],
    ['rocksteadier', 12, 3, 0, 0, [6, 2, 3, 11, 1, 10, 5, 0, 4, 8, 9, 7]],
    ['rocksteadier', 12, 3, 9, 0, [8, 9, 7, 6, 2, 3, 11, 1, 10, 5, 0, 4]],
    ['rocksteadier', 25, 6, 11, 7, [19, 7, 24, 10, 2, 15, 5, 14]],
    ['rocksteadier', 25, 6, 137, 0, [1, 18, 6, 24, 14, 9, 20, 19]],
  ])('%s: %i backends, size %i, client %i, seed %i', (algorithm, count, size, clientId, seed, expected) => {
    const order = subsetOrder(count, { algorithm, size, clientId, seed });
    expect([...order.subarray(0, expected.length)]).toEqual(expected);
  });

  it('holds every backend once, and is the same each time', () => {
    fc.assert(
      fc.property(cases, ({ count, ...options }) => {
        const order = subsetOrder(count, options);
        expect([...order].sort((a, b) => a - b)).toEqual([...keys(count).keys()]);
        expect(subsetOrder(count, options)).toEqual(order);
      }),
    );
  });

  it.each(ALGORITHMS)('%s: differs from client to client, and with the seed', (algorithm) => {
    const orders = [0, 1, 50].map((clientId) => subsetOrder(100, { algorithm, size: 10, clientId }).join());
    orders.push(subsetOrder(100, { algorithm, size: 10, clientId: 0, seed: 1 }).join());
    expect(new Set(orders).size).toBe(4);
    expect(subsetOrder(100, { algorithm, size: 10, clientId: 0, seed: 0 }).join()).toBe(orders[0]);
  });
});

describe('chooseSubset', () => {
  it('takes the first of the order', () => {
    fc.assert(
      fc.property(cases, ({ count, ...options }) => {
        const first = subsetOrder(count, options).subarray(0, options.size);
        expect(chooseSubset(keys(count), options)).toEqual([...first].map((seat) => `b${seat}`));
      }),
    );
  });

  it('passes over vacant seats, and so moves only what a backend had that left', () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ count, ...options }, pick) => {
        fc.pre(options.size < count);
        const before = chooseSubset(keys(count), options);
        const gone = keys(count)[pick % count]!;
        const vacated = keys(count).map((key) => (key === gone ? undefined : key));
        const after = chooseSubset(vacated, options);
        expect(after.length).toBe(options.size);
        expect(after).toEqual(expect.arrayContaining(before.filter((key) => key !== gone)));
        expect(after).not.toContain(gone);
      }),
    );
  });
});

describe('bad input', () => {
  const good: SubsettingOptions = { algorithm: 'rocksteadier', size: 3, clientId: 0 };
  it.each<[Record<string, unknown>, string]>([
    [{ size: 0 }, 'size must be an integer >= 1, got 0'],
    [{ size: 1.5 }, 'size must be an integer >= 1, got 1.5'],
    [{ size: 13 }, 'size must be an integer from 1 to 12, got 13'],
    [{ clientId: -1 }, 'clientId must be an integer >= 0, got -1'],
    [{ clientId: 0.5 }, 'clientId must be an integer >= 0, got 0.5'],
    [{ clientId: undefined }, 'clientId must be an integer >= 0, got undefined'],
    [{ seed: -1 }, 'seed must be an integer from 0 to 4294967295, got -1'],
    [{ seed: 2 ** 32 }, 'seed must be an integer from 0 to 4294967295, got 4294967296'],
    [
      { algorithm: 'consistent' },
      'algorithm must be one of random, deterministic, rocksteadier, got "consistent"',
    ],
  ])('%j is refused', (bad, message) => {
    const options = { ...good, ...bad } as SubsettingOptions;
    expect(() => subsetOrder(12, options)).toThrow(new RangeError(message));
    expect(() => chooseSubset(keys(12), options)).toThrow(new RangeError(message));
  });

  it('is refused in the list too', () => {
    expect(() => subsetOrder(0, good)).toThrow('backendCount must be an integer >= 1, got 0');
    expect(() => chooseSubset([], good)).toThrow('number of backends must be an integer >= 1, got 0');
    expect(() => chooseSubset(['a', 'b', 'a', 'c'], good)).toThrow(
      new RangeError('backends must be distinct, got "a" twice'),
    );
    expect(() => chooseSubset(['a', null as never, 'b'], good)).toThrow(
      new RangeError('backends[1] must be a string or undefined, got null'),
    );
    // Three seats, two of them taken.
    expect(() => chooseSubset(['a', undefined, 'b'], good)).toThrow(
      'size must be an integer from 1 to 2, got 3',
    );
  });
});
