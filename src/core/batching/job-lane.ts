/** Where a request is: waiting, under way, or neither (any more). */
export type BatchState = 'waiting' | 'under-way' | 'over';

/** One request's place in a FairQueue. It knows its neighbours, so that it can leave from anywhere without a search. */
export class BatchPlace<R> {
  readonly request: R;
  readonly lane: JobLane<R>;
  readonly sinceMs: number;
  /** The earlier of its deadline and the longest wait. */
  readonly expiryMs: number;
  /** It is its own deadline that passes first. */
  readonly isDeadline: boolean;
  state: BatchState = 'waiting';
  /** What it was charged when it was taken, in rounds. */
  charged = 0;
  older: BatchPlace<R> | undefined = undefined;
  newer: BatchPlace<R> | undefined = undefined;
  /** Neighbours among those that expire at about the same time. */
  before: BatchPlace<R> | undefined = undefined;
  after: BatchPlace<R> | undefined = undefined;
  slot = -1;

  constructor(request: R, lane: JobLane<R>, sinceMs: number, expiryMs: number, isDeadline: boolean) {
    this.request = request;
    this.lane = lane;
    this.sinceMs = sinceMs;
    this.expiryMs = expiryMs;
    this.isDeadline = isDeadline;
  }
}

/** What waits of one job, the oldest first, and where the job stands with what it has used. */
export class JobLane<R> {
  readonly job: string;
  waiting = 0;
  underWay = 0;
  /** Taken so far. */
  taken = 0;
  oldest: BatchPlace<R> | undefined = undefined;
  newest: BatchPlace<R> | undefined = undefined;
  /** In rounds: above 0 it may be served. */
  credit = 1;
  /** There is a round in which it is looked at next. */
  isScheduled = false;
  /** The one behind it in that round. */
  next: JobLane<R> | undefined = undefined;
  /** What one of its requests costs, lately; undefined until one has ended. */
  cost: number | undefined = undefined;

  constructor(job: string) {
    this.job = job;
  }

  add(place: BatchPlace<R>): void {
    place.older = this.newest;
    if (this.newest === undefined) this.oldest = place;
    else this.newest.newer = place;
    this.newest = place;
    this.waiting++;
  }

  remove(place: BatchPlace<R>): void {
    if (place.older === undefined) this.oldest = place.newer;
    else place.older.newer = place.newer;
    if (place.newer === undefined) this.newest = place.older;
    else place.newer.older = place.older;
    place.older = place.newer = undefined;
    this.waiting--;
  }
}
