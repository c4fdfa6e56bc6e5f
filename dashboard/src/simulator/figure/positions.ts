import type { Scale } from '../../../../src/simulations/figures/scale.js';

/** From a value to a place, in pixels. */
export type Position = (value: number) => number;

/** Where the values of a scale lie between two pixels. */
export function positionOf({ min, max }: Scale, isLogarithmic: boolean, from: number, to: number): Position {
  const size = isLogarithmic ? Math.log : (value: number) => value;
  const [least, span] = [size(min), size(max) - size(min)];
  return (value) => round(from + ((size(value) - least) / span) * (to - from));
}

/** A tenth of a pixel is not seen, but a thousand points with 17 digits each are waited for. */
export function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
