import { describe, expect, it } from 'vitest';
import { KeySlots } from './key-slots.js';

/** Keys are the names of their slots. */
const keys = { keyOf: (slot: number) => `key-${slot}` };

describe('KeySlots', () => {
  it('finds what was added, and nothing else, few keys or many', () => {
    for (const count of [10, 20_000]) {
      const slots = new KeySlots(keys);
      for (let slot = 0; slot < count; slot++) slots.add(`key-${slot}`, slot);
      expect(slots.size).toBe(count);
      for (let slot = 0; slot < count; slot++) expect(slots.get(`key-${slot}`)).toBe(slot);
      expect(slots.get('another')).toBe(-1);
      for (let slot = 0; slot < count; slot += 2) slots.delete(`key-${slot}`, slot);
      expect(slots.size).toBe(count / 2);
      expect([slots.get('key-0'), slots.get('key-1')]).toEqual([-1, 1]);
    }
  });

  it('begins anew when all have gone', () => {
    const slots = new KeySlots(keys);
    for (let slot = 0; slot < 5_000; slot++) slots.add(`key-${slot}`, slot);
    for (let slot = 0; slot < 5_000; slot++) slots.delete(`key-${slot}`, slot);
    expect([slots.size, slots.get('key-1')]).toEqual([0, -1]);
    slots.add('key-1', 1);
    expect([slots.size, slots.get('key-1')]).toEqual([1, 1]);
  });
});
