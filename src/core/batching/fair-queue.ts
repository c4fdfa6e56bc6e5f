import { checkNonNegative } from '../check.js';
import { elapsedMs } from '../elapsed.js';
import { ExpiryWheel } from './expiry-wheel.js';
import { checkFairQueueOptions, type FairQueueOptions } from './fair-queue-options.js';
import { BatchPlace, JobLane } from './job-lane.js';
import { FURTHEST_ROUND, RoundWheel } from './round-wheel.js';

/** Why a request may not even wait. */
export type QueueRefusal = 'queue-full' | 'job-full' | 'late';

/** What is known of one job, as plain data. */
export interface JobReading {
  readonly job: string;
  readonly waiting: number;
  readonly underWay: number;
  /** Taken since it was first seen; a job of which nothing is left is forgotten. */
  readonly taken: number;
  readonly oldestWaitMs: number;
}

/** Of what one request tells about what its job's cost: of the last ten or so. */
const LEARNING_RATE = 0.1;
/** And about what all of them do, by which rounds are measured: it should not follow every job. */
const SLOW_LEARNING_RATE = 0.02;
/** What costs far more than the average is charged as this much: its job would hear nothing for minutes. */
const MOST_ROUNDS = 64;
/**
 * What costs next to nothing is charged this: a job of such requests would stay in its round, and the next one never
 * come. So 512 requests that cost nothing pass between two of any other job, at the very most.
 */
const LEAST_ROUNDS = 1 / 8;
/** A job that was charged too much gets that back, and no more than a request or two before its turn. */
const MOST_CREDIT = 2;

/** How those beyond `maxJobs` are called in reports. No lookup is made by it: a job may well have that name. */
export const OTHER_JOBS = '(others)';

/**
 * Requests of many jobs that wait for their turn. Jobs take turns by what their requests cost, not by how many there
 * are: deficit round robin (Shreedhar and Varghese, 1995), in rounds that are worth one average request. A job is served
 * while it has credit, owes what that costs, and gets one request's worth a round. What a request costs is known only
 * when it is over, so it is charged what its job's cost lately, and the difference at the end. A job that goes keeps what
 * it owes until those that waited with it have had their rounds: coming back pays off for nobody.
 *
 * Every step takes the same time, however many wait, and nothing is kept of jobs of which nothing is left.
 */
export class FairQueue<R> {
  readonly #options: FairQueueOptions;
  readonly #lanes = new Map<string, JobLane<R>>();
  readonly #others = new JobLane<R>(OTHER_JOBS);
  readonly #rounds = new RoundWheel<R>();
  readonly #expiries: ExpiryWheel<R>;
  /** Those whose time is over and who have not been told. */
  readonly #overdue = new JobLane<R>('');
  #waiting = 0;
  #underWay = 0;
  /** What a request costs on average; undefined until one has ended. */
  #cost: number | undefined = undefined;

  constructor(given?: Partial<FairQueueOptions>) {
    this.#options = checkFairQueueOptions(given);
    this.#expiries = new ExpiryWheel(this.#options.maxWaitMs);
  }

  /** Those who are owed an answer before their turn: also the expired that have not been handed out yet. */
  get size(): number {
    return this.#waiting + this.#overdue.waiting;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Jobs that are told apart now. */
  get jobs(): number {
    return this.#lanes.size;
  }

  /** Lets a request wait, or says why not. Whoever waits is owed an end: taken, handed out as expired, or removed. */
  push(request: R, job: string, deadlineMs: number, now: number): BatchPlace<R> | QueueRefusal {
    const { maxWaiting, maxWaitingPerJob, shareOfFree, maxWaitMs } = this.#options;
    if (!(deadlineMs > now)) return 'late';
    this.#retire(now);
    const free = maxWaiting - this.size;
    if (free <= 0) return 'queue-full';
    const known = this.#lanes.get(job);
    const waiting = (known ?? this.#laneBeyond())?.waiting ?? 0;
    if (waiting >= maxWaitingPerJob || waiting >= shareOfFree * free) return 'job-full';
    const lane = known ?? this.#laneBeyond() ?? this.#open(job);
    const lastMs = now + maxWaitMs;
    const place = new BatchPlace(request, lane, now, Math.min(deadlineMs, lastMs), deadlineMs <= lastMs);
    lane.add(place);
    this.#expiries.add(place);
    this.#waiting++;
    if (!lane.isScheduled) this.#rounds.put(lane, this.#rounds.round);
    return place;
  }

  /** The next one to send; undefined when nobody waits. It is under way until `finish`. */
  take(now: number): BatchPlace<R> | undefined {
    this.#retire(now);
    for (let lane = this.#rounds.next(); lane !== undefined; lane = this.#rounds.next()) {
      this.#dropLate(lane, now);
      const place = lane.oldest;
      if (lane.credit <= 0) this.#putOff(lane);
      else if (place === undefined) this.#rest(lane);
      else {
        this.#leaveLine(place);
        this.#begin(place);
        if (lane.credit > 0) this.#rounds.put(lane, this.#rounds.round);
        else this.#putOff(lane);
        return place;
      }
    }
    return undefined;
  }

  /** It is over and has cost this much, in any unit that is the same for all. */
  finish(place: BatchPlace<R>, cost: number): void {
    checkNonNegative('cost', cost);
    if (place.state !== 'under-way') throw new Error(`a request was finished that is ${place.state}`);
    const { lane } = place;
    place.state = 'over';
    lane.underWay--;
    this.#underWay--;
    lane.cost = learned(lane.cost, cost, LEARNING_RATE);
    this.#cost = learned(this.#cost, cost, SLOW_LEARNING_RATE);
    lane.credit = Math.min(MOST_CREDIT, lane.credit + place.charged - this.#roundsFor(cost));
    if (lane.isScheduled) return;
    if (lane.credit > 0) this.#rest(lane);
    else this.#putOff(lane);
  }

  /** One whose time is over without having come to its turn; undefined when there is none (any more). */
  expired(now: number): BatchPlace<R> | undefined {
    this.#retire(now);
    const place = this.#overdue.oldest;
    if (place !== undefined) this.remove(place);
    return place;
  }

  /** Its client has gone. False when it does not wait (any more). */
  remove(place: BatchPlace<R>): boolean {
    if (place.state !== 'waiting') return false;
    place.state = 'over';
    if (place.slot < 0) this.#overdue.remove(place);
    else this.#leaveLine(place);
    return true;
  }

  /** A job leaves, and takes along all that waits of it. */
  removeJob(job: string): R[] {
    const lane = this.#lanes.get(job);
    const removed: R[] = [];
    for (let place = lane?.oldest; place !== undefined; place = lane?.oldest) {
      this.remove(place);
      removed.push(place.request);
    }
    return removed;
  }

  /** Everybody who waits, taken out. */
  clear(now: number): R[] {
    const removed = [...this.#lanes.keys()].flatMap((job) => this.removeJob(job));
    for (let place = this.#others.oldest; place !== undefined; place = this.#others.oldest) {
      this.remove(place);
      removed.push(place.request);
    }
    for (let place = this.expired(now); place !== undefined; place = this.expired(now))
      removed.push(place.request);
    return removed;
  }

  /** The jobs with the most waiting first, so many of them. */
  readings(most: number, now: number): JobReading[] {
    return [...this.#lanes.values(), this.#others]
      .filter(({ waiting, underWay }) => waiting > 0 || underWay > 0)
      .sort((a, b) => b.waiting - a.waiting || b.underWay - a.underWay)
      .slice(0, most)
      .map(({ job, waiting, underWay, taken, oldest }) => ({
        job,
        waiting,
        underWay,
        taken,
        oldestWaitMs: oldest === undefined ? 0 : elapsedMs(oldest.sinceMs, now),
      }));
  }

  /** The lane of a job that is not known, when there are too many that are. */
  #laneBeyond(): JobLane<R> | undefined {
    return this.#lanes.size >= this.#options.maxJobs ? this.#others : undefined;
  }

  #open(job: string): JobLane<R> {
    const lane = new JobLane<R>(job);
    this.#lanes.set(job, lane);
    return lane;
  }

  #begin(place: BatchPlace<R>): void {
    const { lane } = place;
    place.state = 'under-way';
    place.charged = this.#roundsFor(lane.cost ?? this.#cost ?? 0);
    lane.credit -= place.charged;
    lane.underWay++;
    lane.taken++;
    this.#underWay++;
  }

  #roundsFor(cost: number): number {
    const average = this.#cost ?? 0;
    return average > 0 ? Math.min(MOST_ROUNDS, Math.max(LEAST_ROUNDS, cost / average)) : 1;
  }

  /** To the round in which it has credit again, or as far towards it as the wheel goes. */
  #putOff(lane: JobLane<R>): void {
    const rounds = Math.min(FURTHEST_ROUND, Math.floor(-lane.credit) + 1);
    lane.credit += rounds;
    this.#rounds.put(lane, this.#rounds.round + rounds);
  }

  /** Nothing waits of it, and it owes nothing: it is known for as long as something is under way. */
  #rest(lane: JobLane<R>): void {
    if (lane.underWay === 0 && lane !== this.#others) this.#lanes.delete(lane.job);
  }

  #leaveLine(place: BatchPlace<R>): void {
    place.lane.remove(place);
    this.#expiries.remove(place);
    this.#waiting--;
  }

  #toOverdue(place: BatchPlace<R>): void {
    this.#leaveLine(place);
    this.#overdue.add(place);
  }

  /** Also those of the slot that is not over yet: what is late is never sent. */
  #dropLate(lane: JobLane<R>, now: number): void {
    for (let place = lane.oldest; place !== undefined && place.expiryMs <= now; place = lane.oldest)
      this.#toOverdue(place);
  }

  #retire(now: number): void {
    for (let place = this.#expiries.due(now); place !== undefined; place = this.#expiries.due(now))
      this.#toOverdue(place);
  }
}

function learned(known: number | undefined, value: number, rate: number): number {
  return known === undefined ? value : known + (value - known) * rate;
}
