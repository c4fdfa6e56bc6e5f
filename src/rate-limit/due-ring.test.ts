import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueRing } from './due-ring.js';

describe('a ring of things that are due', () => {
  it('gives each out once, by its place or when it is due', () => {
    const ring = new DueRing<{ name: string }>();
    const [a, b, c] = ['a', 'b', 'c'].map((name, index) => ring.add({ name }, 10 * index));
    expect(ring.nextDueMs).toBe(0);
    expect(ring.take(a!)).toEqual({ name: 'a' });
    expect(ring.take(a!)).toBeUndefined();
    expect(ring.nextDueMs).toBe(10);
    expect(ring.takeDue(9)).toBeUndefined();
    expect(ring.takeDue(10)).toEqual({ name: 'b' });
    expect(ring.take(b!)).toBeUndefined();
    expect(ring.take(c!)).toEqual({ name: 'c' });
    expect(ring.takeDue(1_000)).toBeUndefined();
    expect(ring.nextDueMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('loses nothing and gives nothing twice, however many there are', () => {
    const steps = fc.array(
      fc.record({
        added: fc.integer({ min: 0, max: 90 }),
        taken: fc.integer({ min: 0, max: 90 }),
        due: fc.boolean(),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, fc.infiniteStream(fc.nat()), (steps, chance) => {
        const ring = new DueRing<{ id: number }>();
        const held = new Map<number, number>();
        let id = 0;
        let now = 0;
        for (const { added, taken, due } of steps) {
          for (let i = 0; i < added; i++) held.set(ring.add({ id }, now + 50), id++);
          for (let i = 0; i < taken && held.size > 0; i++) {
            const places = [...held.keys()];
            const place = places[chance.next().value! % places.length]!;
            expect(ring.take(place)).toEqual({ id: held.get(place) });
            expect(ring.take(place)).toBeUndefined();
            held.delete(place);
          }
          now += due ? 60 : 1;
          if (!due) continue;
          for (const [place, expected] of held) {
            expect(ring.takeDue(now)).toEqual({ id: expected });
            held.delete(place);
          }
          expect(ring.takeDue(now)).toBeUndefined();
        }
      }),
    );
  });
});
