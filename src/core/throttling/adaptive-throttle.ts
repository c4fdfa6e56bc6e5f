import { checkInteger, checkOneOf, checkPositive, withDefaults } from '../check.js';
import type { Criticality } from '../criticality.js';
import { elapsedMs } from '../elapsed.js';
import type { Random } from '../environment.js';
import type { Lesson } from '../outcome.js';
import { StatsTable } from './stats-table.js';
import type { ThrottleStats } from './throttle-stats.js';

/** How much more than was accepted a client sends (SRE ch. 21, "Client-Side Throttling"). */
export interface ThrottleOptions {
  /**
   * A client sends this many times what was accepted of late; > 1. Less is kinder to backends and slower to recover.
   */
  readonly k: number;
  /** How much history decides. */
  readonly windowMs: number;
  /** Into how many slots the window is cut. */
  readonly slots: number;
  /** Nothing is refused before so many requests are counted in the window. With `streak` so many are always sent. */
  readonly minimumRequests: number;
  /** How many combinations of service, customer and criticality are told apart at once. */
  readonly maxKeys: number;
  /**
   * What ends the throttling once backends accept all again. `window`, as in the text: the overload leaves the window.
   * `streak`: so many accepts in a row that they are hardly chance. Sooner by half and more; not for a backend
   * that limits by the minute, which accepts a whole streak in the midst of an overload.
   */
  readonly recovery: 'window' | 'streak';
}

export const THROTTLE_DEFAULTS: ThrottleOptions = Object.freeze({
  // SRE ch. 21, "Client-Side Throttling": "we generally prefer the 2x multiplier", since backends that accept again are
  // noticed sooner. Backends refuse K − 1 requests for each that they serve; K = 1.1 is for those to whom refusing
  // costs about as much as serving. After an overload K = 1.1 takes most of an hour to recover, or `streak`.
  k: 2,
  // The same: "for the last two minutes of its history".
  windowMs: 120_000,
  // 5 s each: the window is at most 4 % too long, and forgets in steps of 4 %.
  slots: 24,
  // Below 20, one accept more or less moves the probability by K/(n + 1), 10 % and more: noise. And all that refusing
  // could save the backend are 20 requests in two minutes. The text warns of clients that send "only very
  // sporadically": this way they are never throttled.
  minimumRequests: 20,
  // Less than 2 KB each, so 20 MB. Only a gateway with many customers comes near it.
  maxKeys: 10_000,
  recovery: 'window',
});

/**
 * In a steady overload a request that is sent is accepted with a chance of 1/K, so one in a hundred begins a streak of
 * log_K(100) accepts: 7 for K = 2, 49 for K = 1.1. What such a streak allows in error lasts until the next reject, so
 * all errors together add about 1 % to what is sent.
 */
const STREAK_BY_CHANCE = 0.01;

/** The numbers behind a decision. */
export interface ThrottleExplanation {
  readonly service: string;
  readonly customer: string;
  readonly criticality: Criticality;
  /** Counted in the window: accepts + rejects + localRefusals. */
  readonly requests: number;
  readonly accepts: number;
  readonly rejects: number;
  readonly localRefusals: number;
  /** K as it is now: a multiple of the option's while streaks have raised it. */
  readonly k: number;
  /** That the next request is refused here. */
  readonly probability: number;
}

/**
 * A client whose requests are refused by overloaded backends sends fewer of them: refusing costs a backend something
 * too, and a backend can drown in requests that it only refuses. Beyond K times what was accepted lately, requests fail
 * here, without reaching the network (SRE ch. 21, "Client-Side Throttling"), with the probability
 *
 *     max(0, (requests − K · accepts) / (requests + 1))
 *
 * A request is counted when its outcome is known, not when it is sent: otherwise all that is under way would count as
 * not accepted, and a slow backend be taken for an overloaded one. One refused here is counted at once.
 *
 * The + 1 keeps the probability below 1: of the n requests of a window about one is sent even when none
 * was accepted, and so the end of an outage is seen.
 */
export class AdaptiveThrottle {
  readonly #random: Random;
  readonly #options: ThrottleOptions;
  readonly #table: StatsTable;
  readonly #isEasing: boolean;
  readonly #streakLength: number;
  /**
   * A streak lasts at least one slot, too: a backend that limits by the second accepts the first requests of each
   * second in a row, however many it refuses after them.
   */
  readonly #streakMs: number;

  constructor(random: Random, given?: Partial<ThrottleOptions>) {
    this.#random = random;
    this.#options = checkOptions(given);
    this.#table = new StatsTable(this.#options);
    const { k, windowMs, slots, recovery } = this.#options;
    this.#isEasing = recovery === 'streak';
    this.#streakLength = Math.ceil(Math.log(STREAK_BY_CHANCE) / Math.log(1 / k));
    this.#streakMs = windowMs / slots;
  }

  /** Looked up once per request, and kept to settle it. */
  statsOf(service: string, customer: string, criticality: Criticality): ThrottleStats {
    return this.#table.get(service, customer, criticality);
  }

  /** All that is remembered, the most recently used first. */
  recent(): Iterable<ThrottleStats> {
    return this.#table.recent();
  }

  /** False: refused here, and that is counted. True: send it, then `settle`, once; nothing is counted yet. */
  admit(stats: ThrottleStats, now: number): boolean {
    stats.advance(now);
    const probability = this.#probability(stats);
    if (probability === 0 || this.#random() >= probability) return true;
    stats.window.countLocalRefusal();
    return false;
  }

  /**
   * What became of a request that was admitted. A customer over its limit is treated as an overloaded backend is: the
   * statistics are that customer's alone.
   */
  settle(stats: ThrottleStats, lesson: Lesson['throttle'], now: number): void {
    if (lesson === 'not-counted') return;
    stats.advance(now);
    if (lesson === 'accepted') {
      stats.window.countAccept();
      if (this.#isEasing) this.#lengthenStreak(stats, now);
    } else {
      stats.window.countReject();
      stats.streak = 0;
      // One step back for each: a lone failure after an overload does not bring all of it back.
      if (stats.easing > 1) stats.easing /= 2;
    }
  }

  explain(stats: ThrottleStats, now: number): ThrottleExplanation {
    stats.advance(now);
    const { service, customer, criticality, window, easing } = stats;
    const { requests, accepts, rejects, localRefusals } = window;
    const k = this.#options.k * easing;
    const probability = this.#probability(stats);
    return { service, customer, criticality, requests, accepts, rejects, localRefusals, k, probability };
  }

  #probability({ window, easing }: ThrottleStats): number {
    const { k, minimumRequests } = this.#options;
    const { requests, accepts } = window;
    if (requests < minimumRequests) return 0;
    let allowed = k * easing * accepts;
    // Streaks are made of answers: in an outage, where the formula sends one request per window, send a few more.
    if (this.#isEasing && allowed < minimumRequests) allowed = minimumRequests;
    return Math.max(0, (requests - allowed) / (requests + 1));
  }

  /**
   * As long as backends refuse nothing, K doubles with each streak until all is sent. The counts stay as they are: if
   * the overload is not over, the next rejects take back what the streak gave, and no ratio was lost.
   */
  #lengthenStreak(stats: ThrottleStats, now: number): void {
    if (stats.streak === 0) stats.streakSinceMs = now;
    stats.streak++;
    if (stats.streak < this.#streakLength || elapsedMs(stats.streakSinceMs, now) < this.#streakMs) return;
    stats.streak = 0;
    if (this.#probability(stats) > 0) stats.easing *= 2;
  }
}

function checkOptions(given: Partial<ThrottleOptions> | undefined): ThrottleOptions {
  const options = withDefaults('throttle', THROTTLE_DEFAULTS, given);
  checkPositive('k', options.k);
  // At 1 a client sends what was accepted before and nothing beyond it: once throttled it could never learn that more
  // would be accepted, but for the + 1, one request in a window. Below 1 it throttles itself to nothing.
  if (options.k <= 1) throw new RangeError(`k must be > 1, got ${options.k}`);
  checkPositive('windowMs', options.windowMs);
  checkInteger('slots', options.slots, 1, 1_000);
  checkInteger('minimumRequests', options.minimumRequests, 0);
  checkInteger('maxKeys', options.maxKeys, 1);
  checkOneOf('recovery', options.recovery, ['window', 'streak']);
  return options;
}
