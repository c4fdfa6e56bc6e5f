import * as z from 'zod';
import { checkWithin } from '../../core/check.js';
import type { Random } from '../../core/environment.js';
import { drawExponential } from './distribution.js';
import { RateCurve, type Stretch } from './rate-curve.js';
import { checkSpec, closestComplaint, nonNegativeSchema, positiveSchema, shareSchema } from './spec.js';

/** A million times the usual rate is more than any spike. */
const factorSchema = z.number().min(0).max(1e6);

const rateSchema = z.number().min(0).max(1e9);

/** For as many as anyone writes by hand, or draws. */
const MOST_CHANGES = 1_000;

const detailedSchema = z.strictObject({
  /** Requests a second, on average over a day and without the changes below. */
  perSecond: rateSchema,
  /** `poisson`: they know nothing of each other, as those of many users do. `even`: a machine's, at equal distances. */
  process: z.enum(['poisson', 'even']).optional(),
  /** A wave of day and night. */
  diurnal: z
    .strictObject({
      /** Of the mean: 0.3 goes from 0.7 to 1.3 times the rate; at most 1. */
      amplitude: shareSchema,
      /** Milliseconds from one peak to the next. */
      periodMs: positiveSchema,
      /** The instant of a peak. By default half a period: a run starts in the trough, as a day does at midnight. */
      peakMs: nonNegativeSchema.optional(),
    })
    .optional(),
  /** Times with another rate. Where they overlap, their factors multiply. */
  spikes: z
    .array(
      z.strictObject({
        /** The instant of its start. */
        atMs: nonNegativeSchema,
        /** Milliseconds it lasts. */
        forMs: positiveSchema,
        /** Times the rate; 0 is silence. */
        factor: factorSchema,
      }),
    )
    .max(MOST_CHANGES)
    .optional(),
  /** Changes that last: the last one at or before an instant holds. Its factor is times `perSecond`. */
  steps: z
    .array(
      z.strictObject({
        /** The instant from which it holds. */
        atMs: nonNegativeSchema,
        /** Times the rate; 0 is silence. */
        factor: factorSchema,
      }),
    )
    .max(MOST_CHANGES)
    .optional(),
});

/** A number is a Poisson process of so many requests a second. */
export const arrivalsSchema = z.union([rateSchema, detailedSchema], {
  error: ({ errors }) =>
    closestComplaint(errors, 'a number of requests a second, or an object with perSecond'),
});

export type ArrivalsSpec = z.infer<typeof arrivalsSchema>;

type Detailed = z.infer<typeof detailedSchema>;

const MS_PER_SECOND = 1_000;

/** Open-loop arrivals: when the next request comes does not depend on what became of the last one. */
export class ArrivalProcess {
  readonly #random: Random;
  readonly #curve: RateCurve;
  readonly #isEven: boolean;
  /** For even arrivals: the next one, or undefined until the first was asked for. */
  #nextMs: number | undefined;
  readonly #phase: number;

  /** `phase`, from 0 to 1, says how much of an even distance passes before the first arrival; drawn when not given. */
  constructor(spec: ArrivalsSpec, random: Random, phase?: number) {
    const checked = checkSpec('arrivals', arrivalsSchema, spec);
    const detailed: Detailed = typeof checked === 'number' ? { perSecond: checked } : checked;
    const { amplitude = 0, periodMs = 1, peakMs = periodMs / 2 } = detailed.diurnal ?? {};
    this.#random = random;
    this.#curve = new RateCurve(stretchesOf(detailed), { amplitude, periodMs, peakMs });
    this.#isEven = detailed.process === 'even';
    this.#phase = this.#isEven ? checkWithin('phase', phase ?? random(), 0, 1) : 0;
  }

  /** Requests a second at an instant. */
  rateAt(timeMs: number): number {
    return this.#curve.rateAt(timeMs) * MS_PER_SECOND;
  }

  /**
   * The instant of the next arrival; Infinity when there will be none. An even process starts when it is first asked,
   * and from then on its arrivals are fixed, however often it is asked for them.
   */
  nextAfter(nowMs: number): number {
    if (!this.#isEven) return this.#curve.timeOf(drawExponential(this.#random), nowMs);
    if (this.#nextMs === undefined) {
      this.#nextMs = this.#curve.timeOf(this.#phase, nowMs);
    } else if (nowMs >= this.#nextMs) {
      // Usually the last arrival is now; those that nobody asked for are stepped over.
      const missed = this.#curve.eventsBetween(this.#nextMs, nowMs) % 1;
      this.#nextMs = this.#curve.timeOf(1 - missed, nowMs);
    }
    return this.#nextMs;
  }
}

/** Where the factor of all spikes and steps together changes, and to what. */
function stretchesOf({ perSecond, spikes = [], steps = [] }: Detailed): Stretch[] {
  const perMs = perSecond / MS_PER_SECOND;
  const changes = new Set([0]);
  for (const { atMs, forMs } of spikes) changes.add(atMs).add(atMs + forMs);
  for (const { atMs } of steps) changes.add(atMs);
  // Stable: of two steps at one instant the later in the list holds.
  const inOrder = steps.toSorted((a, b) => a.atMs - b.atMs);
  return [...changes]
    .sort((a, b) => a - b)
    .map((fromMs) => {
      let factor = perMs * (inOrder.findLast((step) => step.atMs <= fromMs)?.factor ?? 1);
      for (const { atMs, forMs, factor: times } of spikes) {
        if (fromMs >= atMs && fromMs < atMs + forMs) factor *= times;
      }
      return { fromMs, factor };
    });
}
