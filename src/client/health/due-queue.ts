/** Whoever has something to do at a time. */
export interface Due {
  /** Infinity: nothing. */
  dueMs: number;
  /** Where it is in the queue, which alone writes it; -1 outside. */
  queueIndex: number;
}

/**
 * Who is due first, among thousands: a heap, so that one timer serves all, and a change of plans costs a few comparisons
 * instead of a timer.
 */
export class DueQueue<T extends Due> {
  readonly #heap: T[] = [];

  get size(): number {
    return this.#heap.length;
  }

  get first(): T | undefined {
    return this.#heap[0];
  }

  /** Adds it, or moves it to where it belongs now. */
  set(item: T, dueMs: number): void {
    item.dueMs = dueMs;
    if (item.queueIndex < 0) {
      item.queueIndex = this.#heap.length;
      this.#heap.push(item);
    }
    this.#siftUp(item);
    this.#siftDown(item);
  }

  delete(item: T): void {
    if (item.queueIndex < 0) return;
    const last = this.#heap.pop()!;
    if (last !== item) {
      this.#put(last, item.queueIndex);
      this.#siftUp(last);
      this.#siftDown(last);
    }
    item.queueIndex = -1;
  }

  #siftUp(item: T): void {
    let hole = item.queueIndex;
    while (hole > 0) {
      const parent = this.#heap[(hole - 1) >> 1]!;
      if (parent.dueMs <= item.dueMs) break;
      this.#put(parent, hole);
      hole = (hole - 1) >> 1;
    }
    this.#put(item, hole);
  }

  #siftDown(item: T): void {
    const heap = this.#heap;
    let hole = item.queueIndex;
    for (let child = 2 * hole + 1; child < heap.length; child = 2 * hole + 1) {
      if (child + 1 < heap.length && heap[child + 1]!.dueMs < heap[child]!.dueMs) child++;
      if (heap[child]!.dueMs >= item.dueMs) break;
      this.#put(heap[child]!, hole);
      hole = child;
    }
    this.#put(item, hole);
  }

  #put(item: T, index: number): void {
    this.#heap[index] = item;
    item.queueIndex = index;
  }
}
