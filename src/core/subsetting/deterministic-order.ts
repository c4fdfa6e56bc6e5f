import { SeededRandom } from '../seeded-random.js';

/**
 * SRE ch. 20, "Deterministic Subsetting": clients come in rounds of `subsetCount`; a round shares one shuffle of the
 * list, and its clients take one slice each, so that a round uses every backend exactly once. The shuffle keeps
 * neighbours, which restart together, out of one subset; another shuffle each round spreads the load of a failed
 * backend over all others instead of over its slice.
 *
 * Our addition, for a count that the size does not divide: the text's code would leave the tail of the shuffle idle,
 * and chance would decide who starves. Here the backends that sit a round out are the next ones in the list, so each
 * is left out as often as any other, give or take one round.
 *
 * What follows the slice is the rest of the round, cyclically: the clients of a round find different replacements.
 */
export function deterministicOrder(
  backendCount: number,
  size: number,
  clientId: number,
  seed: number,
): Uint32Array {
  const subsetCount = Math.floor(backendCount / size);
  const idleCount = backendCount % size;
  const round = Math.floor(clientId / subsetCount);
  const subsetId = clientId % subsetCount;

  // Remainders of both factors first: client ids may be large, and the product must stay exact.
  const firstIdle = ((round % backendCount) * idleCount) % backendCount;
  const firstBusy = firstIdle + idleCount;
  const busyCount = backendCount - idleCount;
  const busy: number[] = [];
  for (let step = 0; step < busyCount; step++) busy.push((firstBusy + step) % backendCount);
  new SeededRandom(round, seed).shuffle(busy);

  const order = new Uint32Array(backendCount);
  const start = subsetId * size;
  for (let step = 0; step < backendCount; step++) {
    const place = (start + step) % backendCount;
    order[step] = place < busyCount ? busy[place]! : (firstIdle + place - busyCount) % backendCount;
  }
  return order;
}
