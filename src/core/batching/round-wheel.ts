import type { JobLane } from './job-lane.js';

/** How far ahead a lane can be put off at once. Who owes more is looked at on the way, and put off again. */
export const FURTHEST_ROUND = 31;
const SLOTS = FURTHEST_ROUND + 1;

/**
 * Lanes by the round of their next turn, in each round in the order in which they were put there. Plain deficit round
 * robin goes past a lane that owes ten rounds ten times; here it is looked at when its turn has come. To put a lane
 * somewhere and to find the first one takes a fixed number of steps, however many lanes there are.
 */
export class RoundWheel<R> {
  /** The round that is being served. It only moves on. */
  round = 0;
  readonly #first: (JobLane<R> | undefined)[] = new Array(SLOTS).fill(undefined);
  readonly #last: (JobLane<R> | undefined)[] = new Array(SLOTS).fill(undefined);
  #size = 0;

  /** At the end of a round: this one, or one up to the furthest from it. */
  put(lane: JobLane<R>, round: number): void {
    const slot = round % SLOTS;
    lane.isScheduled = true;
    lane.next = undefined;
    const last = this.#last[slot];
    if (last === undefined) this.#first[slot] = lane;
    else last.next = lane;
    this.#last[slot] = lane;
    this.#size++;
  }

  /** The one whose turn it is is taken out; the round moves on to its own. Undefined when there is none. */
  next(): JobLane<R> | undefined {
    if (this.#size === 0) return undefined;
    while (this.#first[this.round % SLOTS] === undefined) this.round++;
    const slot = this.round % SLOTS;
    const lane = this.#first[slot]!;
    this.#first[slot] = lane.next;
    if (lane.next === undefined) this.#last[slot] = undefined;
    lane.next = undefined;
    lane.isScheduled = false;
    this.#size--;
    return lane;
  }
}
