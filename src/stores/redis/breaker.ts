import { checkInteger, checkPositive, withDefaults } from '../../core/check.js';
import { elapsedMs } from '../../core/elapsed.js';

export interface BreakerOptions {
  /** Nothing has been answered for so long, though something was asked: nobody is asked any more. */
  readonly silenceMs: number;
  /** So many errors in a row. */
  readonly errorsInRow: number;
  /** How long until one is let through after errors; doubles with each that fails, to the longest. */
  readonly firstTrialMs: number;
  readonly longestTrialMs: number;
}

export const BREAKER_DEFAULTS: BreakerOptions = Object.freeze({
  // Twice what a limiter waits: one that is late is bad luck, all that came within so long are no longer.
  silenceMs: 100,
  // One may be a key that somebody else wrote; five in a row with none in between that succeeded are the server.
  errorsInRow: 5,
  // A fifth of a second of requests without their limits is little, and five trials a second are no load.
  firstTrialMs: 200,
  // After which a server that works again is found.
  longestTrialMs: 2_000,
});

/**
 * Decides whether a server is asked at all. It is not asked in vain: while it is silent or answers with errors, callers
 * hear so at once instead of waiting, and nothing piles up.
 *
 * After errors single calls are let through to see whether it works again, at random within the interval, so that many
 * processes do not come at once. After silence none are: what was asked already is answered when it wakes up.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #random: () => number;
  #pending = 0;
  /** Since when something is asked and nothing answered; of no meaning while nothing is pending. */
  #silentSinceMs = 0;
  #isSilent = false;
  #errors = 0;
  #trialMs = 0;
  #nextTrialMs = 0;

  constructor(options: Partial<BreakerOptions>, random: () => number) {
    this.#options = checked(withDefaults('breaker', BREAKER_DEFAULTS, options));
    this.#random = random;
  }

  get pending(): number {
    return this.#pending;
  }

  get state(): 'closed' | 'silent' | 'failing' {
    if (this.#isSilent) return 'silent';
    return this.#errors >= this.#options.errorsInRow ? 'failing' : 'closed';
  }

  /** Whether one may be asked now. If so it is a trial, when the state is `failing`, and the next one comes later. */
  lets(now: number): boolean {
    if (this.#isSilent) return false;
    if (this.#errors < this.#options.errorsInRow) return true;
    if (now < this.#nextTrialMs) return false;
    this.#trialMs = Math.min(2 * this.#trialMs, this.#options.longestTrialMs);
    this.#planTrial(now);
    return true;
  }

  asked(now: number): void {
    if (this.#pending++ === 0) this.#silentSinceMs = now;
  }

  answered(now: number): void {
    this.#heard(now);
    this.#errors = 0;
  }

  /** Answered with an error, or never to be answered. */
  failed(now: number): void {
    this.#heard(now);
    if (++this.#errors === this.#options.errorsInRow) {
      this.#trialMs = this.#options.firstTrialMs;
      this.#planTrial(now);
    }
  }

  /** To be called about once each silenceMs while something is pending, when answers that are there have been read. */
  look(now: number): void {
    if (this.#pending > 0 && this.silentMs(now) >= this.#options.silenceMs) this.#isSilent = true;
  }

  /** How long nothing was answered. */
  silentMs(now: number): number {
    return this.#pending === 0 ? 0 : elapsedMs(this.#silentSinceMs, now);
  }

  /** A new connection: what was before says nothing of it. */
  renew(): void {
    this.#isSilent = false;
    this.#errors = 0;
  }

  #heard(now: number): void {
    this.#pending--;
    this.#silentSinceMs = now;
    this.#isSilent = false;
  }

  #planTrial(now: number): void {
    this.#nextTrialMs = now + this.#trialMs * (0.5 + this.#random());
  }
}

function checked(options: BreakerOptions): BreakerOptions {
  checkPositive('silenceMs', options.silenceMs);
  checkInteger('errorsInRow', options.errorsInRow, 1);
  checkPositive('firstTrialMs', options.firstTrialMs);
  checkPositive('longestTrialMs', options.longestTrialMs);
  return options;
}
