import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlotSegment } from './slot-segment.js';

/** Keys are the names of their slots; few hashes, so that many share one, also at the end of the table. */
const keys = { keyOf: (slot: number) => `key-${slot}` };
const hashes = [0, 1, 14, 15, 16, 31, -1, -2, 0x7fffffff, -0x80000000];
const hashOf = (slot: number) => hashes[slot % hashes.length]!;

describe('SlotSegment', () => {
  it('knows who is there and who is not, whoever came and left before', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const segment = new SlotSegment();
        const there = new Set<number>();
        for (const [slot, isComing] of steps) {
          if (isComing && !there.has(slot)) {
            segment.add(hashOf(slot), slot);
            there.add(slot);
          } else if (!isComing && there.delete(slot)) segment.remove(hashOf(slot), slot);
        }
        for (let slot = 0; slot <= 60; slot++) {
          const found = segment.find(keys, `key-${slot}`, hashOf(slot));
          expect(found).toBe(there.has(slot) ? slot : -1);
        }
      }),
    );
  });

  it('gives back its memory when those who came have left', () => {
    const segment = new SlotSegment();
    const spread = (slot: number) => Math.imul(slot, 0x9e3779b1);
    for (let round = 0; round < 2; round++) {
      for (let slot = 0; slot < 10_000; slot++) segment.add(spread(slot), slot);
      expect(segment.bytes).toBeGreaterThan(80_000);
      for (let slot = 0; slot < 10_000; slot++) segment.remove(spread(slot), slot);
      expect(segment.bytes).toBeLessThan(1_000);
    }
  });
});
