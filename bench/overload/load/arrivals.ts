import { SeededRandom } from 'plimsoll/core';

/** `even`: all gaps alike. `poisson`: as many clients that know nothing of each other make them. */
export type Spacing = 'even' | 'poisson';

/** A kind of request and its share of all. */
export interface Share {
  readonly criticality: string;
  readonly share: number;
}

export interface ArrivalOptions {
  readonly perSecond: number;
  readonly seconds: number;
  readonly spacing: Spacing;
  /** What is left of the whole has no header: it is CRITICAL by default. */
  readonly mix: readonly Share[];
  readonly seed: number;
}

/** When each request is due, and of which kind it is: the position in `mix`, or one past it for the rest. */
export interface Arrivals {
  readonly atMs: Float64Array;
  readonly kinds: Uint8Array;
}

/** The whole schedule is made beforehand: nothing that happens while it runs can move it. */
export function scheduleArrivals({ perSecond, seconds, spacing, mix, seed }: ArrivalOptions): Arrivals {
  const gaps = new SeededRandom(seed, 1);
  const gapMs = 1_000 / perSecond;
  const due: number[] = [];
  for (let at = 0; at < seconds * 1_000; ) {
    due.push(at);
    at = spacing === 'even' ? due.length * gapMs : at - gapMs * Math.log(1 - gaps.next());
  }
  const draws = new SeededRandom(seed, 2);
  const kinds = Uint8Array.from(due, () => drawKind(mix, draws.next()));
  return { atMs: Float64Array.from(due), kinds };
}

function drawKind(mix: readonly Share[], drawn: number): number {
  let below = 0;
  for (const [kind, { share }] of mix.entries()) {
    below += share;
    if (drawn < below) return kind;
  }
  return mix.length;
}
