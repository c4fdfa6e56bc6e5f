import type { Random } from '../environment.js';
import type { Entry } from './picker.js';

/**
 * Where a round continues on a new snapshot: at the first backend that joined after the one served last. Starting anew
 * instead would send the head of the list a request more with every change. The very first round starts anywhere:
 * clients that come up together and all start at the same backend send it a burst.
 */
export function nextTurn(entries: readonly Entry[], lastOrdinal: number | undefined, random: Random): number {
  if (lastOrdinal === undefined) return Math.floor(random() * entries.length);
  const position = entries.findIndex((entry) => entry.backend.ordinal > lastOrdinal);
  return Math.max(0, position);
}
