/** Something that takes time on a processor. Both fields are the processor's own bookkeeping. */
export interface Work {
  /** Where it stands in the queue; −1 while it is on no processor. */
  workPlace: number;
  /** The virtual time at which it is done; starts as 0. */
  workEnd: number;
  /** All of its cost has been spent. It may add work to the same processor, itself included, and remove any. */
  onWorkDone(now: number): void;
}

/** Works by (workEnd, arrival): a heap in which each knows its place, so that one in the middle can leave it. */
export class WorkQueue {
  readonly #works: Work[] = [];
  readonly #arrivals: number[] = [];
  #arrived = 0;

  get size(): number {
    return this.#works.length;
  }

  get first(): Work | undefined {
    return this.#works[0];
  }

  has(work: Work): boolean {
    return this.#works[work.workPlace] === work;
  }

  add(work: Work): void {
    this.#siftUp(this.#works.length, work, this.#arrived++);
  }

  /** Only one that is there. */
  remove(work: Work): void {
    const { workPlace } = work;
    const last = this.#works.pop()!;
    const arrival = this.#arrivals.pop()!;
    work.workPlace = -1;
    if (last === work) return;
    // The last one fills the hole: up when it comes from another branch, else down.
    const parent = (workPlace - 1) >> 1;
    if (workPlace > 0 && this.#isBefore(last, arrival, parent)) this.#siftUp(workPlace, last, arrival);
    else this.#siftDown(workPlace, last, arrival);
  }

  #siftUp(from: number, work: Work, arrival: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(work, arrival, parent)) break;
      this.#put(place, this.#works[parent]!, this.#arrivals[parent]!);
      place = parent;
    }
    this.#put(place, work, arrival);
  }

  #siftDown(from: number, work: Work, arrival: number): void {
    const size = this.#works.length;
    let place = from;
    for (let child = 2 * place + 1; child < size; child = 2 * place + 1) {
      const other = child + 1;
      if (other < size && this.#isBefore(this.#works[other]!, this.#arrivals[other]!, child)) child = other;
      if (this.#isBefore(work, arrival, child)) break;
      this.#put(place, this.#works[child]!, this.#arrivals[child]!);
      place = child;
    }
    this.#put(place, work, arrival);
  }

  #isBefore({ workEnd }: Work, arrival: number, place: number): boolean {
    const otherEnd = this.#works[place]!.workEnd;
    return workEnd < otherEnd || (workEnd === otherEnd && arrival < this.#arrivals[place]!);
  }

  #put(place: number, work: Work, arrival: number): void {
    this.#works[place] = work;
    this.#arrivals[place] = arrival;
    work.workPlace = place;
  }
}
