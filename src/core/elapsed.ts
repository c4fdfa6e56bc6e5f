/**
 * Time passed between two instants of the monotonic clock, never negative. One helper for all subtractions of times:
 * written out by hand they get reversed, and a reversed one stays unseen until a window never forgets.
 */
export function elapsedMs(since: number, now: number): number {
  return now > since ? now - since : 0;
}
