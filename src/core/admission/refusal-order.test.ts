import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { drawTraceId } from './closed-loop.contract.js';
import { refusalOrder } from './refusal-order.js';

/** Orders counted in equal boxes; the expected value of the sum is one less than the boxes. */
function chiSquare(orders: readonly number[], boxes: number): number {
  const counts = new Array<number>(boxes).fill(0);
  for (const order of orders) counts[Math.floor(order * boxes)]!++;
  const expected = orders.length / boxes;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('refusalOrder', () => {
  it('is the same in every process, version and language', () => {
    // By an implementation with integers of any size, which agrees with the published vectors of MurmurHash3.
    const vectors: [string, number][] = [
      ['4bf92f3577b34da6a3ce929d0e0e4736', 3_395_462_900],
      ['0af7651916cd43dd8448eb211c80319c', 903_430_464],
      ['00000000000000000000000000000001', 1_323_953_566],
      ['ffffffffffffffffffffffffffffffff', 3_844_976_457],
      ['', 371_987_198],
      ['a', 2_359_832_598],
      ['ab', 1_763_379_167],
      ['abcdefg', 538_856_583],
    ];
    for (const [traceId, hash] of vectors) expect(refusalOrder(traceId) * 2 ** 32, traceId).toBe(hash);
  });

  it('does not mind how an id is written', () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    expect(refusalOrder(id.toUpperCase())).toBe(refusalOrder(id));
  });

  it('goes by the low byte of what is no digit', () => {
    expect(refusalOrder('\u0161bc1')).toBe(refusalOrder('abc1'));
  });

  it('lies in [0, 1) for any string', () => {
    fc.assert(
      fc.property(fc.uint16Array({ maxLength: 80, size: 'max' }), (units) => {
        const order = refusalOrder(String.fromCharCode(...units));
        return order >= 0 && order < 1;
      }),
    );
  });

  it('reads 64 characters and no more', () => {
    const long = 'a'.repeat(64);
    expect(refusalOrder(`${long}tail`)).toBe(refusalOrder(long));
    expect(refusalOrder(`${'a'.repeat(63)}b`)).not.toBe(refusalOrder(long));
  });

  it('is even over random ids and over ids that are counted up', () => {
    const random = new SeededRandom(7);
    const drawn = Array.from({ length: 20_000 }, () => refusalOrder(drawTraceId(random)));
    const counted = Array.from({ length: 20_000 }, (_, n) => refusalOrder(n.toString(16).padStart(32, '0')));
    const high = Array.from({ length: 20_000 }, (_, n) => refusalOrder(n.toString(16).padEnd(32, '0')));
    // 99 degrees of freedom: above 149 one time in a thousand.
    for (const orders of [drawn, counted, high]) expect(chiSquare(orders, 100)).toBeLessThan(149);
  });

  it('has nothing to do with what samplers go by', () => {
    const random = new SeededRandom(8);
    // W3C: the last 56 bits are random, and a sampler takes those above its threshold. Here a tenth of all.
    const sampled: number[] = [];
    for (let id = 0; id < 40_000; id++) {
      const traceId = drawTraceId(random);
      if (Number.parseInt(traceId.slice(18, 26), 16) >= 0.9 * 2 ** 32) sampled.push(refusalOrder(traceId));
    }
    expect(sampled.length).toBeGreaterThan(3_600);
    expect(chiSquare(sampled, 50)).toBeLessThan(85);
  });
});
