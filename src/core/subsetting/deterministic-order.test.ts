import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { countConnections, subsetOrder } from './index.js';

function subset(count: number, size: number, clientId: number): number[] {
  return [...subsetOrder(count, { algorithm: 'deterministic', size, clientId })].slice(0, size);
}

function connections(count: number, size: number, clientCount: number): number[] {
  const backends = Array.from({ length: count }, (_, index) => `b${index}`);
  return [...countConnections({ algorithm: 'deterministic', size, clientCount, backends })];
}

/** The Python of SRE ch. 20, line by line. */
function printedSubset(count: number, size: number, clientId: number): number[] {
  const backends = Array.from({ length: count }, (_, index) => index);
  const subsetCount = Math.floor(count / size);
  const round = Math.floor(clientId / subsetCount);
  new SeededRandom(round).shuffle(backends);
  const subsetId = clientId % subsetCount;
  const start = subsetId * size;
  return backends.slice(start, start + size);
}

const sizes = { size: fc.integer({ min: 1, max: 12 }), subsetCount: fc.integer({ min: 1, max: 12 }) };

describe('deterministic subsets', () => {
  it('are those of the printed code when the size divides the count', () => {
    fc.assert(
      fc.property(fc.record({ ...sizes, clientId: fc.nat({ max: 10_000 }) }), (drawn) => {
        const count = drawn.size * drawn.subsetCount;
        expect(subset(count, drawn.size, drawn.clientId)).toEqual(
          printedSubset(count, drawn.size, drawn.clientId),
        );
      }),
    );
  });

  it('worked example: 12 backends, size 3, 10 clients: each backend has two or three', () => {
    const counts = connections(12, 3, 10);
    expect(counts.toSorted()).toEqual([2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
  });

  it('worked example: four clients a round use each of 12 backends once, each round in another order', () => {
    const rounds = [0, 1, 2].map((round) => [0, 1, 2, 3].flatMap((id) => subset(12, 3, 4 * round + id)));
    for (const round of rounds) expect(new Set(round).size).toBe(12);
    expect(new Set(rounds.map(String)).size).toBe(3);
  });

  it('worked example: 300 clients, 10 of 300 backends each: every backend exactly 10', () => {
    expect(new Set(connections(300, 10, 300))).toEqual(new Set([10]));
  });

  it('a round uses no backend twice and leaves out only the remainder', () => {
    fc.assert(
      fc.property(
        fc.record({ ...sizes, remainder: fc.nat({ max: 11 }), round: fc.nat({ max: 200 }) }),
        (drawn) => {
          const { size, subsetCount, round } = drawn;
          const count = size * subsetCount + (drawn.remainder % size);
          const clients = Array.from({ length: subsetCount }, (_, id) => round * subsetCount + id);
          const used = new Set(clients.flatMap((clientId) => subset(count, size, clientId)));
          expect(used.size).toBe(size * subsetCount);
        },
      ),
    );
  });

  it('who is left out rotates: after any number of rounds all counts are within one', () => {
    fc.assert(
      fc.property(
        fc.record({ ...sizes, remainder: fc.nat({ max: 11 }), rounds: fc.integer({ min: 1, max: 25 }) }),
        (drawn) => {
          const count = drawn.size * drawn.subsetCount + (drawn.remainder % drawn.size);
          const counts = connections(count, drawn.size, drawn.rounds * drawn.subsetCount);
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        },
      ),
    );
    // Three idle of 11 in each round: after 11 rounds each has sat out three times.
    expect(new Set(connections(11, 4, 22))).toEqual(new Set([8]));
  });

  it('a failed backend is in other company each round, so its load spreads over all others', () => {
    const mates = (victim: number, clientCount: number) => {
      const shared = new Set<number>();
      for (let clientId = 0; clientId < clientCount; clientId++) {
        const members = subset(300, 30, clientId);
        if (members.includes(victim)) for (const member of members) shared.add(member);
      }
      return shared.size - 1;
    };
    // One round: the 29 others of its subset. 30 rounds: 1 − (1 − 29/299)^30 ≈ 95 % of the 299; 90 rounds: all.
    expect(mates(17, 10)).toBe(29);
    expect(mates(17, 300)).toBeGreaterThan(270);
    expect(mates(17, 900)).toBe(299);
  });

  it('keeps a huge client id exact', () => {
    const clientId = Number.MAX_SAFE_INTEGER;
    // subsetCount 2, so the round is 2^52 − 1; its idle window begins at (2^52 − 1)·3 mod 11.
    const firstIdle = Number(((BigInt(2) ** BigInt(52) - BigInt(1)) * BigInt(3)) % BigInt(11));
    const idle = [...subsetOrder(11, { algorithm: 'deterministic', size: 4, clientId })].slice(4, 7);
    expect(idle).toEqual([0, 1, 2].map((step) => (firstIdle + step) % 11));
  });
});
