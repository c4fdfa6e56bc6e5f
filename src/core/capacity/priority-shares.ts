import { allocate } from '../quota/allocation.js';
import type { CapacityBand } from './capacity-messages.js';
import type { CapacityAlgorithm } from './capacity-options.js';

/**
 * What each client should have, in the order given. The highest priority is divided first, by the algorithm; the next one
 * gets what is left. A client's share is that of all its bands.
 */
export function priorityShares(
  algorithm: CapacityAlgorithm,
  capacity: number,
  clients: readonly (readonly CapacityBand[])[],
): number[] {
  const shares = new Array<number>(clients.length).fill(0);
  let left = capacity;
  for (const [, claims] of [...byPriority(clients)].sort(([a], [b]) => b - a)) {
    const granted = allocate(
      algorithm,
      left,
      claims.map(({ band: { wants, subclients } }) => ({ wants, subclients })),
    );
    let used = 0;
    for (const [index, { client }] of claims.entries()) {
      shares[client]! += granted[index]!;
      used += granted[index]!;
    }
    // static is a cap on each, whatever the others use.
    if (algorithm !== 'static') left = Math.max(0, left - used);
  }
  return algorithm === 'static' ? shares.map((share) => Math.min(share, capacity)) : shares;
}

interface BandClaim {
  readonly client: number;
  readonly band: CapacityBand;
}

function byPriority(clients: readonly (readonly CapacityBand[])[]): Map<number, BandClaim[]> {
  const claims = new Map<number, BandClaim[]>();
  for (const [client, bands] of clients.entries()) {
    for (const band of bands) {
      const list = claims.get(band.priority);
      if (list === undefined) claims.set(band.priority, [{ client, band }]);
      else list.push({ client, band });
    }
  }
  return claims;
}
