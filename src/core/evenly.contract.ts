import * as fc from 'fast-check';

/**
 * Numbers from anywhere between two, for properties. `fc.double` draws evenly among all doubles, of which hardly any up to 1 is
 * above 1e-9: alone it tries what is next to nothing, again and again, and its corners. These are half of what is drawn here.
 */
export function evenly(least: number, most: number): fc.Arbitrary<number> {
  const parts = fc.integer({ min: 0, max: PARTS }).map((part) => least + (part / PARTS) * (most - least));
  return fc.oneof(parts, fc.double({ min: least, max: most, noNaN: true }));
}

/** As of a random number: 1 is none. */
export function evenlyBelow1(): fc.Arbitrary<number> {
  return evenly(0, 1 - Number.EPSILON / 2);
}

const PARTS = 1_000;
