import type { Event } from './event.js';

/** Children of a node. Four are half a cache line of times, and half the levels of a binary heap. */
const ARITY = 4;

/** Of one instant, lower priorities come first; more of them than anyone can name. */
export const MOST_PRIORITY = 127;

/** Sequence numbers in each priority: at ten million events a second they last for eighty days. */
const SEQUENCES = 2 ** 46;

const FIRST_CAPACITY = 1_024;

/**
 * Scheduled events by (time, priority, sequence): a total order without ties, so that a run depends on nothing but its
 * seed (as in SimPy). A heap that knows where each event stands: a timer is moved or taken out in logarithmic time,
 * and none that was called off lingers.
 *
 * Events stay in their slots while numbers move in the heap: they are of many classes, and to write into an object of
 * unknown class at each level of the heap costs a quarter of all.
 */
export class EventQueue {
  #size = 0;
  #sequence = 0;
  /** By place in the heap. */
  #times = new Float64Array(FIRST_CAPACITY);
  /** By place: priority and sequence as one number, exact below 2^53. */
  #orders = new Float64Array(FIRST_CAPACITY);
  /** By place; after those in use the free ones. */
  #slots = indexes(FIRST_CAPACITY);
  /** By slot. */
  #places = new Int32Array(FIRST_CAPACITY);
  /** By slot. */
  readonly #events: (Event | undefined)[] = [];

  get size(): number {
    return this.#size;
  }

  /** When the first event is; Infinity when there is none. */
  get nextMs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#times[0]!;
  }

  /** One that is scheduled already is moved, and counts as scheduled last. */
  schedule(event: Event, timeMs: number, priority: number): void {
    const order = priority * SEQUENCES + this.#sequence++;
    const { slot } = event;
    if (slot >= 0) this.#move(this.#placeOf(slot, event), slot, timeMs, order);
    else this.#add(event, timeMs, order);
  }

  /** Takes one out; nothing to do when it is not scheduled. */
  remove(event: Event): void {
    const { slot } = event;
    if (slot >= 0) this.#takeOut(this.#placeOf(slot, event), slot);
  }

  /** Takes the first one out. Only while there is one. */
  shift(): Event {
    return this.#takeOut(0, this.#slots[0]!);
  }

  #placeOf(slot: number, event: Event): number {
    if (this.#events[slot] !== event) throw new RangeError('an event must stay with one kernel');
    return this.#places[slot]!;
  }

  #add(event: Event, timeMs: number, order: number): void {
    if (this.#size === this.#times.length) this.#grow();
    const place = this.#size++;
    const slot = this.#slots[place]!;
    this.#events[slot] = event;
    event.slot = slot;
    this.#siftUp(place, slot, timeMs, order);
  }

  #takeOut(place: number, slot: number): Event {
    const event = this.#events[slot]!;
    this.#events[slot] = undefined;
    event.slot = -1;
    const last = --this.#size;
    const moved = this.#slots[last]!;
    this.#slots[last] = slot;
    if (place !== last) this.#move(place, moved, this.#times[last]!, this.#orders[last]!);
    return event;
  }

  #move(place: number, slot: number, timeMs: number, order: number): void {
    if (place > 0 && this.#isBefore(timeMs, order, (place - 1) >> 2))
      this.#siftUp(place, slot, timeMs, order);
    else this.#siftDown(place, slot, timeMs, order);
  }

  #siftUp(from: number, slot: number, timeMs: number, order: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 2;
      if (!this.#isBefore(timeMs, order, parent)) break;
      this.#put(place, this.#slots[parent]!, this.#times[parent]!, this.#orders[parent]!);
      place = parent;
    }
    this.#put(place, slot, timeMs, order);
  }

  #siftDown(from: number, slot: number, timeMs: number, order: number): void {
    const times = this.#times;
    const orders = this.#orders;
    const size = this.#size;
    let place = from;
    for (;;) {
      const firstChild = place * ARITY + 1;
      if (firstChild >= size) break;
      const end = Math.min(firstChild + ARITY, size);
      let least = firstChild;
      let leastTime = times[firstChild]!;
      for (let child = firstChild + 1; child < end; child++) {
        const time = times[child]!;
        if (time < leastTime || (time === leastTime && orders[child]! < orders[least]!)) {
          least = child;
          leastTime = time;
        }
      }
      if (timeMs < leastTime || (timeMs === leastTime && order < orders[least]!)) break;
      this.#put(place, this.#slots[least]!, leastTime, orders[least]!);
      place = least;
    }
    this.#put(place, slot, timeMs, order);
  }

  #isBefore(timeMs: number, order: number, place: number): boolean {
    const time = this.#times[place]!;
    return timeMs < time || (timeMs === time && order < this.#orders[place]!);
  }

  #put(place: number, slot: number, timeMs: number, order: number): void {
    this.#times[place] = timeMs;
    this.#orders[place] = order;
    this.#slots[place] = slot;
    this.#places[slot] = place;
  }

  #grow(): void {
    const capacity = this.#times.length * 2;
    this.#times = copied(this.#times, new Float64Array(capacity));
    this.#orders = copied(this.#orders, new Float64Array(capacity));
    this.#slots = copied(this.#slots, indexes(capacity));
    this.#places = copied(this.#places, new Int32Array(capacity));
  }
}

function indexes(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, index) => index);
}

function copied<T extends Float64Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
