import { Lane, type Place } from './lane.js';
import { LaneHeap } from './lane-heap.js';

/**
 * What waits of one criticality: a lane for each customer, in a ring in which they take turns. However many requests a
 * customer has in its lane, it is served once a round; a customer that joins is served at the end of the round that is
 * under way. Lanes that become empty are gone, so nothing is kept of customers of whom nothing waits.
 */
export class LaneRing<R> {
  /** Requests in all lanes. */
  size = 0;
  readonly #rank: number;
  readonly #lanes = new Map<string, Lane<R>>();
  readonly #byLength = new LaneHeap<R>();
  #turn: Lane<R> | undefined;
  #ordinals = 0;

  constructor(rank: number) {
    this.#rank = rank;
  }

  /** Customers of whom something waits. */
  get customers(): number {
    return this.#lanes.size;
  }

  /** The lane to serve next; undefined when nothing waits. */
  get turn(): Lane<R> | undefined {
    return this.#turn;
  }

  get longest(): Lane<R> | undefined {
    return this.#byLength.longest;
  }

  places(): Place<R>[] {
    const places: Place<R>[] = [];
    for (const lane of this.#lanes.values()) {
      for (let place = lane.oldest; place !== undefined; place = place.newer) places.push(place);
    }
    return places;
  }

  laneOf(customer: string): Lane<R> | undefined {
    return this.#lanes.get(customer);
  }

  add(request: R, customer: string, now: number): Place<R> {
    this.size++;
    const lane = this.#lanes.get(customer);
    if (lane !== undefined) {
      const place = lane.add(request, now);
      this.#byLength.onLonger(lane);
      return place;
    }
    const opened = this.#open(customer);
    const place = opened.add(request, now);
    this.#byLength.add(opened);
    return place;
  }

  remove(place: Place<R>): void {
    const { lane } = place;
    this.size--;
    lane.remove(place);
    if (lane.length > 0) this.#byLength.onShorter(lane);
    else this.#close(lane);
  }

  /** This lane has had its turn. To be called while it is still in the ring. */
  endTurn(lane: Lane<R>): void {
    this.#turn = lane.after;
  }

  #open(customer: string): Lane<R> {
    const lane = new Lane<R>(customer, this.#rank, this.#ordinals++);
    this.#lanes.set(customer, lane);
    const turn = this.#turn;
    if (turn === undefined) {
      this.#turn = lane;
      return lane;
    }
    lane.before = turn.before;
    lane.after = turn;
    turn.before.after = lane;
    turn.before = lane;
    return lane;
  }

  #close(lane: Lane<R>): void {
    this.#lanes.delete(lane.customer);
    this.#byLength.remove(lane);
    if (this.#turn === lane) this.#turn = lane.after === lane ? undefined : lane.after;
    lane.before.after = lane.after;
    lane.after.before = lane.before;
    // As places do: see Lane.remove.
    lane.before = lane.after = lane;
  }
}
