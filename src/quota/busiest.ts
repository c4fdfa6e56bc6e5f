/** As many names as a metrics system should be given for one label. */
const MOST_LABELS = 200;

/** Those that want most: who exceeds a quota is among them, however many others there are. */
export function busiest<T extends { readonly demandPerSecond: number }>(
  customers: readonly T[],
): readonly T[] {
  if (customers.length <= MOST_LABELS) return customers;
  return customers.toSorted((a, b) => b.demandPerSecond - a.demandPerSecond).slice(0, MOST_LABELS);
}
