/** A waiter's place, in a ring of links (first come, first served) and in a heap (first to expire at the top). */
export class LinePlace<T> {
  before: LinePlace<T> = this;
  after: LinePlace<T> = this;
  heapIndex = -1;
  readonly waiter: T | undefined;
  expiryMs: number;
  readonly arrival: number;
  readonly rank: number;

  constructor(waiter: T | undefined, expiryMs: number, arrival: number, rank: number) {
    this.waiter = waiter;
    this.expiryMs = expiryMs;
    this.arrival = arrival;
    this.rank = rank;
  }
}

/** Nobody stands behind its link. Of a place: it is in no ring. */
export function isEmpty<T>(ring: LinePlace<T>): boolean {
  return ring.after === ring;
}

export function append<T>(ring: LinePlace<T>, place: LinePlace<T>): void {
  place.before = ring.before;
  place.after = ring;
  ring.before.after = place;
  ring.before = place;
}

/**
 * It lets go of its neighbours, too. An old collected place that still pointed to a younger one would keep that alive until
 * the next full collection, with its request and, in turn, with whoever came after it: a line that never empties would make
 * every scavenge copy all that has ever been in it.
 */
export function unlink<T>(place: LinePlace<T>): void {
  place.before.after = place.after;
  place.after.before = place.before;
  place.before = place.after = place;
}

/** Ties go to who came first, so that the order is total and a run can be repeated. */
function expiresBefore<T>(a: LinePlace<T>, b: LinePlace<T>): boolean {
  return a.expiryMs < b.expiryMs || (a.expiryMs === b.expiryMs && a.arrival < b.arrival);
}

function put<T>(heap: LinePlace<T>[], place: LinePlace<T>, index: number): void {
  heap[index] = place;
  place.heapIndex = index;
}

/** The hole at `from` moves up to where the place belongs. */
export function siftUp<T>(heap: LinePlace<T>[], place: LinePlace<T>, from: number): void {
  let hole = from;
  while (hole > 0) {
    const parent = heap[(hole - 1) >> 1]!;
    if (!expiresBefore(place, parent)) break;
    put(heap, parent, hole);
    hole = (hole - 1) >> 1;
  }
  put(heap, place, hole);
}

function siftDown<T>(heap: LinePlace<T>[], place: LinePlace<T>, from: number): void {
  let hole = from;
  for (let child = 2 * hole + 1; child < heap.length; child = 2 * hole + 1) {
    if (child + 1 < heap.length && expiresBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!expiresBefore(heap[child]!, place)) break;
    put(heap, heap[child]!, hole);
    hole = child;
  }
  put(heap, place, hole);
}

/** The last one fills the hole, and moves to where it belongs: down, or up when it comes from another branch. */
export function removeFromHeap<T>(heap: LinePlace<T>[], place: LinePlace<T>): void {
  const hole = place.heapIndex;
  const last = heap.pop()!;
  place.heapIndex = -1;
  if (last === place) return;
  siftDown(heap, last, hole);
  siftUp(heap, last, last.heapIndex);
}
