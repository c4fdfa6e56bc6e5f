/** Where one request waits. It knows its neighbours, so that it can leave from anywhere without a search. */
export class Place<R> {
  older: Place<R> | undefined;
  newer: Place<R> | undefined;
  readonly request: R;
  readonly lane: Lane<R>;
  readonly sinceMs: number;

  constructor(request: R, lane: Lane<R>, sinceMs: number) {
    this.older = undefined;
    this.newer = undefined;
    this.request = request;
    this.lane = lane;
    this.sinceMs = sinceMs;
  }
}

/**
 * What waits of one customer at one criticality, in the order in which it came. Served from either end: the oldest
 * first, or the newest. A lane exists only while something waits in it.
 */
export class Lane<R> {
  readonly customer: string;
  /** The place of its criticality among all: lanes of several criticalities are never mixed. */
  readonly rank: number;
  /** Lanes are numbered as they come, so that two of equal length have an order and a run can be repeated. */
  readonly ordinal: number;
  length = 0;
  oldest: Place<R> | undefined = undefined;
  newest: Place<R> | undefined = undefined;
  /** Neighbours in the ring in which customers take turns. */
  before: Lane<R> = this;
  after: Lane<R> = this;
  heapIndex = -1;

  constructor(customer: string, rank: number, ordinal: number) {
    this.customer = customer;
    this.rank = rank;
    this.ordinal = ordinal;
  }

  add(request: R, now: number): Place<R> {
    const place = new Place(request, this, now);
    place.older = this.newest;
    if (this.newest === undefined) this.oldest = place;
    else this.newest.newer = place;
    this.newest = place;
    this.length++;
    return place;
  }

  remove(place: Place<R>): void {
    if (place.older === undefined) this.oldest = place.newer;
    else place.older.newer = place.newer;
    if (place.newer === undefined) this.newest = place.older;
    else place.newer.older = place.older;
    // A dead place that is old would keep its younger neighbours, with their requests and in turn theirs, from being
    // collected with the young: every scavenge would copy what has left the queue since the last full collection.
    place.older = place.newer = undefined;
    this.length--;
  }
}
