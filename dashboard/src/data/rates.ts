/** How much was counted under each name between two looks, a second. Names that are new, or went back, count from zero. */
export function ratesOf<T>(
  before: Readonly<Record<string, T>> | undefined,
  after: Readonly<Record<string, T>> | undefined,
  seconds: number,
  pick: (counts: T) => number,
): Readonly<Record<string, number>> {
  // Names are those of customers: one that is called `constructor` is none of an object's own.
  const rates: Record<string, number> = Object.create(null);
  if (seconds <= 0) return rates;
  for (const [name, counts] of Object.entries(after ?? {})) {
    const old = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
    const difference = pick(counts) - (old === undefined ? 0 : pick(old));
    rates[name] = Math.max(0, difference) / seconds;
  }
  return rates;
}

export function sumOfValues(record: Readonly<Record<string, number>>): number {
  return Object.values(record).reduce((sum, value) => sum + value, 0);
}
