/** A value and how often it is drawn. */
export interface Part<T> {
  readonly value: T;
  readonly share: number;
}

/** One of the values, by their shares; they need not add up to 1. `drawn` is from 0 up to 1. */
export function draw<T>(parts: readonly Part<T>[], drawn: number): T {
  let left = drawn * parts.reduce((sum, { share }) => sum + share, 0);
  for (const { value, share } of parts) {
    left -= share;
    if (left < 0) return value;
  }
  return parts.at(-1)!.value;
}
