/**
 * The level at which a customer's room is used up when each backend lets pass what it is asked for, up to the level:
 * Σ min(demand, level) = room. That is the max-min fair division without naming anybody's part. Infinity when all fits.
 *
 * Begins at the equal part and gives what the modest leave to the others, until nobody else turns out to be modest: a
 * handful of passes over the column, where sorting it would cost ten times as much.
 */
export function waterLevel(demands: Float64Array, from: number, to: number, room: number): number {
  let level = room / (to - from);
  let modest = -1;
  for (;;) {
    let left = room;
    let count = 0;
    for (let at = from; at < to; at++) {
      const demand = demands[at]!;
      if (demand > level) continue;
      left -= demand;
      count++;
    }
    if (count === to - from) return Number.POSITIVE_INFINITY;
    if (count === modest) return level;
    modest = count;
    // Never lower, whatever rounding does: the passes end.
    level = Math.max(level, left / (to - from - count));
  }
}
