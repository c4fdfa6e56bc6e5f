/**
 * The binary van der Corput sequence: the bits of an index mirrored at the binary point, 0, ½, ¼, ¾, ⅛ …
 * Every prefix of it is spread evenly over [0, 1) and no earlier point moves when a later one comes.
 */

/** The place of an index on a ring of 2^32 places. */
export function ringPlace(index: number): number {
  let bits = index >>> 0;
  bits = ((bits >>> 1) & 0x5555_5555) | ((bits & 0x5555_5555) << 1);
  bits = ((bits >>> 2) & 0x3333_3333) | ((bits & 0x3333_3333) << 2);
  bits = ((bits >>> 4) & 0x0f0f_0f0f) | ((bits & 0x0f0f_0f0f) << 4);
  bits = ((bits >>> 8) & 0x00ff_00ff) | ((bits & 0x00ff_00ff) << 8);
  return ((bits >>> 16) | (bits << 16)) >>> 0;
}

/** 0 … count − 1 in the order in which they stand on the ring, without sorting: mirroring twice changes nothing. */
export function ringOrder(count: number): Uint32Array {
  const order = new Uint32Array(count);
  // As many places as the next power of two has: of 2^32 only those can be taken.
  const unused = Math.clz32(count);
  let filled = 0;
  for (let place = 0; filled < count; place++) {
    const index = ringPlace(place) >>> unused;
    if (index < count) order[filled++] = index;
  }
  return order;
}
