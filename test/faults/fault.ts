import type { Stage } from './stage.js';

/** A bound that was given, and what was seen. */
export interface Finding {
  /** In words, with its number. */
  readonly promise: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** One thing that a bad day does, and what has to hold all the same. */
export interface Fault {
  readonly name: string;
  /** What is done, and to whom. */
  readonly what: string;
  /** It has failed when it takes longer. */
  readonly withinSeconds: number;
  run(stage: Stage): Promise<readonly Finding[]>;
}

/** What a machine would have to be able to do for a fault, and cannot: neither kept nor broken. */
export class NotPossible extends Error {}

export const kept = (promise: string, measured: string, holds: boolean): Finding => ({
  promise,
  measured,
  holds,
});

/** At most a whole digit is of interest, of small numbers one behind the point. */
export function shown(value: number, unit = ''): string {
  const text = Number.isInteger(value) || Math.abs(value) >= 100 ? Math.round(value) : value.toFixed(1);
  return unit === '' ? `${text}` : `${text} ${unit}`;
}

export function atMost(what: string, value: number, bound: number, unit = ''): Finding {
  return kept(`${what}: at most ${shown(bound, unit)}`, shown(value, unit), value <= bound);
}

export function atLeast(what: string, value: number, bound: number, unit = ''): Finding {
  return kept(`${what}: at least ${shown(bound, unit)}`, shown(value, unit), value >= bound);
}

export function none(what: string, count: number, of: number): Finding {
  return kept(`${what}: none`, `${count} of ${of}`, count === 0 && of > 0);
}
