/** The value below which that part of the sorted values lies; 0 when there are none. */
export function quantileOfSorted(sorted: ArrayLike<number>, part: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
}

export function median(values: readonly number[]): number {
  return quantileOfSorted(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

export function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
