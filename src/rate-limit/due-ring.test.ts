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
    const few = fc.integer({ min: 0, max: 90 });
    const steps = fc.array(fc.record({ added: few, taken: few, isDue: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(steps, fc.nat(), (steps, chance) => {
        const ring = new DueRing<{ place: number }>();
        const held: number[] = [];
        let now = 0;
        const given: unknown[] = [];
        const expected: unknown[] = [];
        for (const { added, taken, isDue } of steps) {
          for (let i = 0; i < added; i++) {
            const thing = { place: -1 };
            thing.place = ring.add(thing, now + 50);
            held.push(thing.place);
          }
          for (let i = 0; i < taken && held.length > 0; i++) {
            const [place] = held.splice((chance + i * 7) % held.length, 1);
            given.push(ring.take(place!)?.place, ring.take(place!));
            expected.push(place, undefined);
          }
          now += isDue ? 60 : 1;
          if (!isDue) continue;
          for (const place of held.splice(0)) {
            given.push(ring.takeDue(now)?.place);
            expected.push(place);
          }
          given.push(ring.takeDue(now));
          expected.push(undefined);
        }
        expect(given).toEqual(expected);
      }),
    );
  });
});
