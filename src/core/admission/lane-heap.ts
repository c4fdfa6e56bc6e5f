import type { Lane } from './lane.js';

/**
 * Finds the longest lane at once, whatever the number of lanes: a heap with the longest at its top. Of equally long
 * ones it is the one that came first. The answer depends on what waits and on nothing else. Lists of lanes by length
 * would be quicker still, but there a lane that grows and shrinks again ends up behind its equals, and a request that
 * came and went would have changed who is evicted next.
 */
export class LaneHeap<R> {
  readonly #heap: Lane<R>[] = [];

  get longest(): Lane<R> | undefined {
    return this.#heap[0];
  }

  add(lane: Lane<R>): void {
    this.#heap.push(lane);
    this.#siftUp(lane, this.#heap.length - 1);
  }

  onLonger(lane: Lane<R>): void {
    this.#siftUp(lane, lane.heapIndex);
  }

  onShorter(lane: Lane<R>): void {
    this.#siftDown(lane, lane.heapIndex);
  }

  /** The last one fills the hole, and moves to where it belongs: down, or up when it comes from another branch. */
  remove(lane: Lane<R>): void {
    const last = this.#heap.pop()!;
    if (last === lane) return;
    this.#siftDown(last, lane.heapIndex);
    this.#siftUp(last, last.heapIndex);
  }

  #siftUp(lane: Lane<R>, from: number): void {
    let hole = from;
    while (hole > 0) {
      const parent = this.#heap[(hole - 1) >> 1]!;
      if (!isLonger(lane, parent)) break;
      this.#put(parent, hole);
      hole = (hole - 1) >> 1;
    }
    this.#put(lane, hole);
  }

  #siftDown(lane: Lane<R>, from: number): void {
    const heap = this.#heap;
    let hole = from;
    for (let child = 2 * hole + 1; child < heap.length; child = 2 * hole + 1) {
      if (child + 1 < heap.length && isLonger(heap[child + 1]!, heap[child]!)) child++;
      if (!isLonger(heap[child]!, lane)) break;
      this.#put(heap[child]!, hole);
      hole = child;
    }
    this.#put(lane, hole);
  }

  #put(lane: Lane<R>, index: number): void {
    this.#heap[index] = lane;
    lane.heapIndex = index;
  }
}

function isLonger<R>(a: Lane<R>, b: Lane<R>): boolean {
  return a.length > b.length || (a.length === b.length && a.ordinal < b.ordinal);
}
