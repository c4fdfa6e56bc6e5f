/** What a connection makes us keep. */
export interface Keeping {
  readonly keptBytes: number;
  destroy(): void;
}

/**
 * Of all connections together. One alone may have 8 MB of calls that are not all there and answers that it does not take; ten
 * thousand that are each within their bounds would have 80 GB. Clients that read and send whole calls keep next to nothing.
 */
export const MOST_KEPT_BYTES = 256 * 2 ** 20;

/** Ends those that make us keep the most, until the rest is within the bound. */
export function endGreediest(connections: Iterable<Keeping>, mostBytes: number = MOST_KEPT_BYTES): void {
  const all = Array.from(connections, (connection) => ({ connection, bytes: connection.keptBytes }));
  let kept = all.reduce((sum, { bytes }) => sum + bytes, 0);
  if (kept <= mostBytes) return;
  for (const { connection, bytes } of all.sort((a, b) => b.bytes - a.bytes)) {
    if (kept <= mostBytes) return;
    kept -= bytes;
    connection.destroy();
  }
}
