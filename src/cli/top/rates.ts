/** Two looks at the same thing, and how long it was between them. */
export interface Looks<T> {
  readonly now: T;
  /** Undefined: the first look, of which there is nothing to compare with. */
  readonly before: T | undefined;
  readonly elapsedMs: number;
}

/** How much a count grows in a second; undefined when there is nothing to compare, or it began anew. */
export function rateOf<T>(
  { now, before, elapsedMs }: Looks<T>,
  count: (of: T) => number | undefined,
): number | undefined {
  if (before === undefined || elapsedMs <= 0) return undefined;
  const [last, first] = [count(now), count(before)];
  if (last === undefined || first === undefined || last < first) return undefined;
  return ((last - first) * 1_000) / elapsedMs;
}
