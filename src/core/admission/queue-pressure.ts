import { checkNonNegative, checkPositive, checkWithin, withDefaults } from '../check.js';
import type { Criticality } from '../criticality.js';
import { elapsedMs } from '../elapsed.js';
import { ReliefScale } from './relief-scale.js';
import type { Thresholds } from './thresholds.js';
import { believable, type UtilizationSignal } from './utilization-signal.js';

/** How long requests are to wait on average, and how this is kept. */
export interface QueuePressureOptions {
  /**
   * Mean queue time that is held while there is too much: at least five times what a request takes over all workers,
   * or chance alone goes past it. Where the queue itself is bounded, bound it at three times this or more, or the
   * bound refuses first, whoever comes, and this never acts.
   */
  readonly targetMs: number;
  /**
   * The target is at least as long as so many requests take: a queue of fewer runs empty by chance.
   */
  readonly leastRequests: number;
  /** How often the pressure moves. */
  readonly updateMs: number;
  /** It never asks to admit less than this share of what arrives. */
  readonly leastAdmitted: number;
}

export const QUEUE_PRESSURE_DEFAULTS: QueuePressureOptions = Object.freeze({
  // DAGOR's (WeChat): a mean of 20 ms says overload. At 750/s it is a queue of 15, which chance rarely empties: 99 %
  // of the capacity is used. With 5 ms, CoDel's target, it would be 90 %.
  targetMs: 20,
  // Of a server that takes a request every 50 ms and holds queue time at 20 ms a third of the capacity would be lost; with
  // eight it is 3 %.
  leastRequests: 8,
  // What is decided now is measured a queue time later, so moving much oftener than that adds noise and no speed. RFC
  // 8033 (PIE): 15 ms for a target of 15.
  updateMs: 25,
  // Enough for a hundredfold load. SRE ch. 21: an overloaded backend should not stop accepting altogether.
  leastAdmitted: 0.01,
});

/**
 * How far the pressure goes up for each targetMs of queue time above the target. At 20 ms the loop crosses over at
 * GAIN / targetMs = 3/s and corrects within half a second; the lag of a queue time and an update takes 8° off its
 * phase margin and leaves 56°. It could be faster, if it were not for chance: the queue wanders, the refused share
 * follows, and call trees get torn. At 2 × load the share deviates by 2.7 points, with .1 by 3.3; with .04 the mean
 * queue time is 33 ms and not 25.
 */
const GAIN = 0.06;

/** Integral part, for each targetMs of time: a damping of 1/√2, the least that hardly overshoots. */
const INTEGRAL = GAIN ** 2 / 2;

/** Errors above this (a queue time of three targets) are not chance but a backlog. */
const BACKLOG = 2;

/** With a backlog the pressure goes to what was counted within about this time. CoDel's interval. */
const COUNTED_MS = 100;

/**
 * A backlog is believed when it has lasted for so many updates, 100 ms (CoDel's interval), and one counts for two at most. A process
 * that stood still (a pause of its machine, a collection of garbage) finds all that came meanwhile waiting, for as long
 * as it was away: that says nothing of how much it can serve. 78 ms with ten requests once looked like ten times too
 * much, and a process with 8 % of its CPU in use refused for a second.
 */
const BELIEVED_AFTER = 4;
const MOST_AT_ONCE = 2;

/** Below this part of the target the queue is as good as empty … */
const EMPTY_BELOW = 0.05;

/** … and the pressure is halved each third of a second: after 10 × load refusals are gone within 2 s. */
const EMPTY_DECAY_MS = 500;

/** However slow requests are, the target does not grow beyond this, a third of what callers wait at the most. */
const LONGEST_TARGET_MS = 333;

/**
 * When none has left for so long, and nobody is known to wait, the queue was empty. In a process that runs fewer than
 * ten a second it was perhaps not: there the queue gets longer than its target before it counts, which so slow a
 * process needs to be used fully.
 */
const EMPTY_AFTER_MS = 100;

/**
 * Queue time as a signal: queue time, unlike response time, says nothing of slow work further down (DAGOR), and its
 * mean is the same in whatever order requests are taken, unless some are dropped.
 *
 * Queue time itself swings within milliseconds, and is no measure of what to refuse: as long as too much is admitted
 * it grows, whatever the excess. So the pressure moves until queue time stays at its target, by what it is off now
 * and by what it was off so far (a PI controller, as in RFC 8033, PIE). The share it settles at is steady: requests
 * of one call tree, spread over some 100 ms, are treated alike.
 *
 * The pressure is the logarithm of the overload: at p a share of e^−p may be admitted, ln 2 means half. Since the
 * admitted rate then changes by the same factor for each step whatever the load, one gain is right at 1.1 × and at 10
 * × alike; and ReliefScale makes it right for every mix of criticalities. The utilization is where the thresholds
 * give that relief.
 */
export class QueuePressure implements UtilizationSignal {
  readonly name = 'queue-pressure';
  readonly #options: QueuePressureOptions;
  readonly #most: number;
  readonly #scale: ReliefScale;
  /** How many wait, if whoever owns the queue tells: silence then means a server that hangs, not an empty queue. */
  waiting = 0;
  #targetMs: number;
  /** The interval that is under way. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #admitted = 0;
  #left = 0;
  #run = 0;
  #waitedMs = 0;
  /** What was off so far, added up: the pressure at which queue time stays where it is. */
  #settled = 0;
  /** For how many updates there has been a backlog. */
  #backlogUpdates = 0;
  #pressure = 0;
  #utilization = 0;

  /** The thresholds are those that its utilization will be compared with. */
  constructor(given?: Partial<QueuePressureOptions>, thresholds?: Thresholds) {
    const options = withDefaults('queuePressure', QUEUE_PRESSURE_DEFAULTS, given);
    checkPositive('targetMs', options.targetMs);
    checkNonNegative('leastRequests', options.leastRequests);
    checkPositive('updateMs', options.updateMs);
    checkWithin('leastAdmitted', checkPositive('leastAdmitted', options.leastAdmitted), 0, 1);
    this.#options = options;
    this.#targetMs = options.targetMs;
    this.#most = -Math.log(options.leastAdmitted);
    this.#scale = new ReliefScale(thresholds);
  }

  /**
   * How many times longer everything takes than it would if the process had its processor to itself; 1 when it has. Time
   * that others take is nothing that refusing gives back, so the target grows with it.
   */
  slowdown = 1;

  /** Mean time between two requests that are taken while more wait; 0 while unknown. */
  set takeIntervalMs(intervalMs: number) {
    this.#targetMs = Math.max(
      Math.min(this.#options.targetMs * this.slowdown, LONGEST_TARGET_MS),
      Math.min(this.#options.leastRequests * intervalMs, LONGEST_TARGET_MS),
    );
  }

  /** The thresholds have decided on a request. */
  onDecision(criticality: Criticality, isAdmitted: boolean): void {
    this.#scale.onArrival(criticality);
    if (isAdmitted) this.#admitted++;
  }

  /** A request was taken from the queue and runs. */
  observe(queueTimeMs: number, now: number): void {
    this.#advance(now);
    this.#left++;
    this.#run++;
    this.#waitedMs += believable(queueTimeMs);
  }

  /**
   * A request has left the queue because it had waited too long, or to make room. Where the newest go first, those
   * that run have hardly waited, and only these tell of the queue.
   */
  observeDropped(queueTimeMs: number, now: number): void {
    this.#advance(now);
    this.#left++;
    this.#waitedMs += believable(queueTimeMs);
  }

  utilization(now: number): number {
    this.#advance(now);
    return this.#utilization;
  }

  /** Does it ask to refuse anything? */
  get isPressing(): boolean {
    return this.#pressure > 0;
  }

  /** How many times what can be served is arriving, as far as the queue tells; 1 when there is no pressure. */
  overload(now: number): number {
    this.#advance(now);
    return Math.exp(this.#pressure);
  }

  /**
   * An interval ends with the first event after updateMs, but goes on while none has left, until that means
   * something.
   */
  #advance(now: number): void {
    const passedMs = elapsedMs(this.#sinceMs, now);
    if (passedMs < this.#options.updateMs) return;
    const silentMs = this.#left === 0 ? passedMs : passedMs - this.#options.updateMs;
    const isHanging = this.#left === 0 && this.waiting > 0;
    const isEmpty = this.waiting === 0 && silentMs >= EMPTY_AFTER_MS;
    if (this.#left === 0 && !isEmpty && !(isHanging && passedMs > this.#targetMs)) return;
    if (this.#left > 0) this.#move(this.#waitedMs / this.#left, isEmpty ? this.#options.updateMs : passedMs);
    // Those that wait have waited for as long as none has left, at the least.
    if (isHanging) this.#move(passedMs, passedMs);
    else if (isEmpty) this.#move(0, silentMs);
    this.#scale.forget(passedMs);
    this.#sinceMs = now;
    this.#admitted = this.#left = this.#run = this.#waitedMs = 0;
  }

  /** Queue time was this for so long. */
  #move(queueTimeMs: number, passedMs: number): void {
    const targetMs = this.#targetMs;
    const error = (queueTimeMs - targetMs) / targetMs;
    const isLasting = this.#isLasting(error, passedMs);
    const isDoubtful = error > BACKLOG && !isLasting;
    const countedMs = isDoubtful ? Math.min(passedMs, MOST_AT_ONCE * this.#options.updateMs) : passedMs;
    // A backlog says how long there has been too much, not how much too much: beyond three targets its size counts no
    // more.
    const capped = Math.min(error, BACKLOG);
    let settled = Math.max(0, this.#settled + (INTEGRAL * capped * countedMs) / targetMs);
    if (isLasting && this.#admitted > 0) settled += this.#towardsCounted(settled, passedMs);
    if (queueTimeMs < EMPTY_BELOW * targetMs) settled *= Math.exp(-passedMs / EMPTY_DECAY_MS);
    this.#settled = Math.min(this.#most, settled);
    const proportional = GAIN * (isDoubtful ? capped : error);
    this.#pressure = Math.min(this.#most, Math.max(0, this.#settled + proportional));
    // With no pressure, how near the target is to where it begins.
    this.#utilization =
      this.#pressure > 0
        ? this.#scale.utilizationFor(1 - Math.exp(-this.#pressure))
        : (this.#scale.lowest * queueTimeMs) / targetMs;
  }

  #isLasting(error: number, passedMs: number): boolean {
    if (error <= BACKLOG) this.#backlogUpdates = 0;
    else this.#backlogUpdates += Math.min(passedMs / this.#options.updateMs, MOST_AT_ONCE);
    return this.#backlogUpdates >= BELIEVED_AFTER;
  }

  /**
   * With a backlog what runs is all that can be served, and what is still too much can simply be counted: admitted
   * over run. At a sudden 10 × this finds the share in 0.2 s, adding up errors in 3 s.
   */
  #towardsCounted(settled: number, passedMs: number): number {
    const counted = Math.max(0, this.#pressure + Math.log(this.#admitted / Math.max(1, this.#run)));
    return (counted - settled) * (1 - Math.exp(-passedMs / COUNTED_MS));
  }
}
