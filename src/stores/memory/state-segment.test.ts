import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sought, TEXT_FORM } from './sought-key.js';
import { StateSegment } from './state-segment.js';

/** Each of one form, whatever the number. */
const FORMS = [
  { named: 'bytes', keyOf: (i: number) => `key-${i}` },
  { named: 'many bytes', keyOf: (i: number) => `${'x'.repeat(20)}${10_000 + i}${'y'.repeat(9)}` },
  { named: 'long strings', keyOf: (i: number) => `${'x'.repeat(70)}${i}` },
  { named: 'other letters', keyOf: (i: number) => `Ключ-${i}` },
];

function segmentFor(key: string, width: number): StateSegment {
  sought.read(key);
  return new StateSegment(width, sought.form);
}

function find(segment: StateSegment, key: string): number {
  sought.read(key);
  return segment.find(key);
}

function put(segment: StateSegment, key: string, value: number): void {
  sought.read(key);
  const place = segment.add(key);
  segment.cells(place)[segment.at(place)] = value;
}

function stateOf(segment: StateSegment, key: string): number | undefined {
  const place = find(segment, key);
  return place < 0 ? undefined : (segment.cells(place)[segment.at(place)] ?? 0);
}

describe.each(FORMS)('StateSegment of $named', ({ keyOf }) => {
  it.each([2, 3, 0])(
    'has who is there with their states, whoever came and left before; width %i',
    (width) => {
      const step = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.boolean());
      fc.assert(
        fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
          const segment = segmentFor(keyOf(0), width);
          const there = new Map<number, number>();
          for (const [at, [i, isComing]] of steps.entries()) {
            if (isComing && !there.has(i)) {
              put(segment, keyOf(i), at + 0.5);
              there.set(i, at + 0.5);
            } else if (!isComing && there.delete(i)) segment.remove(find(segment, keyOf(i)));
          }
          expect(segment.size).toBe(there.size);
          for (let i = 0; i <= 60; i++) expect(stateOf(segment, keyOf(i))).toBe(there.get(i));
        }),
      );
    },
  );

  it('grows and gives back its memory, and those who come anew begin with zeros', () => {
    const segment = segmentFor(keyOf(0), 2);
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 3_000; i++) {
        sought.read(keyOf(i));
        const place = segment.add(keyOf(i));
        const at = segment.at(place);
        expect([...segment.cells(place).slice(at, at + 2)]).toEqual([0, 0]);
        segment.cells(place)[at] = i;
        segment.cells(place)[at + 1] = -i;
      }
      expect(segment.places).toBe(4_096);
      for (let i = 0; i < 3_000; i++) expect(stateOf(segment, keyOf(i))).toBe(i);
      for (let i = 0; i < 3_000; i++) segment.remove(find(segment, keyOf(i)));
      expect([segment.size, segment.places]).toEqual([0, 16]);
    }
  });

  it('knows which places are taken', () => {
    const segment = segmentFor(keyOf(0), 2);
    for (let i = 0; i < 10; i++) put(segment, keyOf(i), i);
    const taken = Array.from({ length: segment.places }, (_, place) => place).filter((place) =>
      segment.isTaken(place),
    );
    const found = Array.from({ length: 10 }, (_, i) => find(segment, keyOf(i)));
    expect(taken).toEqual(found.sort((a, b) => a - b));
  });
});

it('keeps strings of the same hash apart', () => {
  const segment = new StateSegment(2, TEXT_FORM);
  const keys = ['Ключ', 'другой', 'третий'];
  sought.read(keys[0]!);
  // All are looked for by the hash of the first, as if they had it.
  for (const [i, key] of keys.entries()) {
    const place = segment.add(key);
    segment.cells(place)[segment.at(place)] = i;
  }
  const values = () =>
    keys
      .map((key) => segment.find(key))
      .map((place) => place >= 0 && segment.cells(place)[segment.at(place)]);
  expect(values()).toEqual([0, 1, 2]);
  segment.remove(segment.find(keys[1]!));
  expect(values()).toEqual([0, false, 2]);
});
