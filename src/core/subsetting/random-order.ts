import { SeededRandom } from '../seeded-random.js';

/**
 * SRE ch. 20, "Random Subsetting": each client shuffles the list on its own. It needs no numbering of the clients
 * without gaps, any distinct ids do, and pays with uneven load: about three quarters of all backends must be in the
 * subset before the balance is fair.
 *
 * The shuffle is Fisher–Yates run forwards, so that a backend appended to the list takes one place and sends one other
 * to the end. Run backwards, as usual, one more backend would shift all draws and replace the whole subset.
 */
export function randomOrder(backendCount: number, clientId: number, seed: number): Uint32Array {
  const random = new SeededRandom(clientId, seed);
  const order = new Uint32Array(backendCount);
  for (let seat = 0; seat < backendCount; seat++) {
    const place = random.below(seat + 1);
    order[seat] = order[place]!;
    order[place] = seat;
  }
  return order;
}
