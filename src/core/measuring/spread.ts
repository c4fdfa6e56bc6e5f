/** How evenly a load is spread over a fleet (SRE ch. 20, "The Ideal Case"). */
export interface Spread {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  /** 1 in the ideal case. */
  readonly maxOverMean: number;
  /** 1 in the ideal case. */
  readonly minOverMean: number;
  /** Σ (max − load): what is reserved in vain if every backend must have as much as the busiest needs. */
  readonly waste: number;
}

/**
 * Loads are finite and >= 0. No backends, or none with any load, are the ideal case: all the numbers are 0 and both
 * ratios 1, so that a report of an idle fleet neither divides by zero nor raises an alarm.
 */
export function spread(loads: readonly number[] | Float64Array | Uint32Array): Spread {
  if (loads.length === 0) return { min: 0, mean: 0, max: 0, maxOverMean: 1, minOverMean: 1, waste: 0 };
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (const load of loads) {
    if (load < min) min = load;
    if (load > max) max = load;
  }
  let waste = 0;
  for (const load of loads) waste += max - load;
  // Not the sum over the count: three times 0.1 has a mean of 0.10000000000000002, above its own maximum.
  const mean = max - waste / loads.length;
  const isIdle = mean === 0;
  return {
    min,
    mean,
    max,
    maxOverMean: isIdle ? 1 : max / mean,
    minOverMean: isIdle ? 1 : min / mean,
    waste,
  };
}
