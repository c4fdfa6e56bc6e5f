/** Does something with all of them, so many at once; `work` handles its own failures. */
export async function fewAtOnce<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const takeTurns = async (): Promise<void> => {
    // One iterator for all: whoever is free takes the next.
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, takeTurns));
}
