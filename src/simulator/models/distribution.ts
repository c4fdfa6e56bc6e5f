import * as z from 'zod';
import type { Random } from '../../core/environment.js';
import { checkSpec, closestComplaint, nonNegativeSchema, positiveSchema } from './spec.js';

/** Around `mean`, and never negative: what is drawn below 0 is drawn again. */
const normalSchema = z.strictObject({
  /** Of the whole bell. What is drawn has a larger one: 1.2876 times as much when `deviation` equals `mean`. */
  mean: nonNegativeSchema,
  /** Standard deviation of the whole bell, in the unit of the mean. */
  deviation: nonNegativeSchema,
});

/** Many small, few large ones, as latencies and sizes often are. */
const lognormalSchema = z.strictObject({
  /** Half of all draws lie below. The mean is exp(sigma² / 2) times it. */
  median: nonNegativeSchema,
  /** Standard deviation of the logarithm. 0.5: p99 is 3.2 medians; 1: 10; 2: 105. */
  sigma: z.number().min(0).max(5),
});

/** A heavy tail: of those above any x, the share 2^-shape is above 2x. */
const paretoSchema = z
  .strictObject({
    /** The smallest value, and the likeliest. */
    least: positiveSchema,
    /** Small is heavy. Up to 1 there is no mean, up to 2 no variance; then `most` has to bound it. */
    shape: z.number().min(0.01).max(1_000),
    /** The largest value, in the unit of `least`. Without it there is none. */
    most: positiveSchema.optional(),
  })
  .refine(({ most, shape }) => most !== undefined || shape > 1, 'a shape up to 1 has no mean without most')
  .refine(({ least, most }) => most === undefined || most > least, 'most must be > least');

/** Memoryless: how long from one to the next of events that know nothing of each other. */
const exponentialSchema = z.strictObject({ mean: nonNegativeSchema });

/** Each value from `from` to `to` as likely as any other. */
const uniformSchema = z
  .strictObject({ from: nonNegativeSchema, to: nonNegativeSchema })
  .refine(({ from, to }) => to >= from, 'to must be >= from');

/** A number is itself, always; else exactly one law. No draw is negative. */
export const distributionSchema = z.union(
  [
    nonNegativeSchema,
    z.strictObject({ normal: normalSchema }),
    z.strictObject({ lognormal: lognormalSchema }),
    z.strictObject({ pareto: paretoSchema }),
    z.strictObject({ exponential: exponentialSchema }),
    z.strictObject({ uniform: uniformSchema }),
  ],
  {
    error: ({ errors }) =>
      closestComplaint(errors, 'a number or one of normal, lognormal, pareto, exponential, uniform'),
  },
);

export type DistributionSpec = z.infer<typeof distributionSchema>;

export interface Distribution {
  /** Keeps nothing from one draw to the next: what a stream gives depends on that stream only. */
  draw(random: Random): number;
  /** Exactly what draws average to. */
  readonly mean: number;
  readonly spec: DistributionSpec;
}

export function createDistribution(spec: DistributionSpec): Distribution {
  const checked = checkSpec('distribution', distributionSchema, spec);
  if (typeof checked === 'number') return new Constant(checked, checked);
  if ('normal' in checked) {
    const { mean, deviation } = checked.normal;
    return deviation === 0 ? new Constant(mean, checked) : new Normal(mean, deviation, checked);
  }
  if ('lognormal' in checked)
    return new Lognormal(checked.lognormal.median, checked.lognormal.sigma, checked);
  if ('pareto' in checked) {
    const { least, shape, most } = checked.pareto;
    return new Pareto(least, shape, most ?? Number.POSITIVE_INFINITY, checked);
  }
  if ('exponential' in checked) return new Exponential(checked.exponential.mean, checked);
  return new Uniform(checked.uniform.from, checked.uniform.to, checked);
}

/** Exponential with mean 1. 1 − u and not u: a draw of 0 has a logarithm only so. */
export function drawExponential(random: Random): number {
  return -Math.log1p(-random());
}

/** Box–Muller, of whose two values one is thrown away: kept, it would carry chance from one stream into another. */
function drawNormal(random: Random): number {
  return Math.sqrt(2 * drawExponential(random)) * Math.cos(2 * Math.PI * random());
}

class Constant implements Distribution {
  readonly mean: number;
  readonly spec: DistributionSpec;

  constructor(value: number, spec: DistributionSpec) {
    this.mean = value;
    this.spec = spec;
  }

  draw(_random: Random): number {
    return this.mean;
  }
}

/** At least half of the bell is at or above 0, so that 2^-64 of all draws at most come to the end of their tries. */
const MOST_TRIES = 64;

class Normal implements Distribution {
  readonly mean: number;
  readonly spec: DistributionSpec;
  readonly #centre: number;
  readonly #deviation: number;

  constructor(centre: number, deviation: number, spec: DistributionSpec) {
    const reach = centre / deviation;
    const density = Math.exp((-reach * reach) / 2) / Math.sqrt(2 * Math.PI);
    // The mean of a truncated normal; the tries that run out are below what a double can tell.
    this.mean = centre + (deviation * density) / normalShareBelow(reach, density);
    this.spec = spec;
    this.#centre = centre;
    this.#deviation = deviation;
  }

  draw(random: Random): number {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const drawn = this.#centre + this.#deviation * drawNormal(random);
      if (drawn >= 0) return drawn;
    }
    return 0;
  }
}

/** Φ(x) for x >= 0 by its Taylor series (Marsaglia 2004, "Evaluating the Normal Distribution"): all terms add up. */
function normalShareBelow(x: number, density: number): number {
  // The rest is below half a unit of the last place of 1.
  if (x > 9) return 1;
  let sum = 0;
  for (let [term, divisor] = [x, 1]; sum + term !== sum; term *= (x * x) / divisor) {
    sum += term;
    divisor += 2;
  }
  return 0.5 + sum * density;
}

class Lognormal implements Distribution {
  readonly mean: number;
  readonly spec: DistributionSpec;
  readonly #median: number;
  readonly #sigma: number;

  constructor(median: number, sigma: number, spec: DistributionSpec) {
    this.mean = median * Math.exp((sigma * sigma) / 2);
    this.spec = spec;
    this.#median = median;
    this.#sigma = sigma;
  }

  draw(random: Random): number {
    return this.#median * Math.exp(this.#sigma * drawNormal(random));
  }
}

class Pareto implements Distribution {
  readonly mean: number;
  readonly spec: DistributionSpec;
  readonly #least: number;
  readonly #most: number;
  readonly #power: number;
  /** The part of the unbounded law that lies within the bound. */
  readonly #within: number;

  constructor(least: number, shape: number, most: number, spec: DistributionSpec) {
    const range = Math.log(most / least);
    this.#within = -Math.expm1(-shape * range);
    // shape · least · ∫ e^((1 − shape)·x) dx over the range, as exact near a shape of 1 as elsewhere.
    const integral = shape === 1 ? range : Math.expm1((1 - shape) * range) / (1 - shape);
    this.mean = (shape * least * integral) / this.#within;
    this.spec = spec;
    this.#least = least;
    this.#most = most;
    this.#power = -1 / shape;
  }

  draw(random: Random): number {
    // Rounding must not carry a draw past its bound.
    return Math.min(this.#least * (1 - random() * this.#within) ** this.#power, this.#most);
  }
}

class Exponential implements Distribution {
  readonly mean: number;
  readonly spec: DistributionSpec;

  constructor(mean: number, spec: DistributionSpec) {
    this.mean = mean;
    this.spec = spec;
  }

  draw(random: Random): number {
    return this.mean * drawExponential(random);
  }
}

class Uniform implements Distribution {
  readonly mean: number;
  readonly spec: DistributionSpec;
  readonly #from: number;
  readonly #width: number;

  constructor(from: number, to: number, spec: DistributionSpec) {
    this.mean = (from + to) / 2;
    this.spec = spec;
    this.#from = from;
    this.#width = to - from;
  }

  draw(random: Random): number {
    return this.#from + this.#width * random();
  }
}
