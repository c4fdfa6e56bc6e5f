import type { CapacityAsk } from '../core/index.js';

/** What a message may say. */
const MOST_WANTS = 1e15;

/** Who waits for longer than a tenth of a second is slowed down: so much a second would let them pass by then. */
const PER_SECOND = 10;

/**
 * An ask that also speaks for those who wait. Callers that come again only when they have passed would otherwise never
 * seem to want more than they get: four of them that get 1 a second come once a second.
 *
 * It asks for enough that they pass within a tenth of a second, but for no more than twice what comes anyway, or for
 * enough within a second if that is more: a queue that built up in a pause is no reason to take from others.
 */
export function addWaiting(ask: CapacityAsk, waitingCost: number): CapacityAsk {
  const bands = ask.bands.map((band) => {
    const more = Math.min(PER_SECOND * waitingCost, Math.max(waitingCost, band.wants));
    return { ...band, wants: Math.min(MOST_WANTS, band.wants + more) };
  });
  return { ...ask, bands };
}
