import type { Random } from '../../core/index.js';
import { CheckInterval, type HealthPace } from './check-interval.js';
import type { HealthOptions } from './health-options.js';

/** However many want to know: no backend is checked more often. */
const LEAST_PAUSE_MS = 50;

/** When a backend is checked next, by whichever way: at its pace, and at growing intervals while it answers by no way. */
export class CheckSchedule {
  readonly #interval: CheckInterval;
  readonly #backoff: CheckInterval;
  #lastMs = Number.NEGATIVE_INFINITY;
  #nextMs: number;

  constructor(options: HealthOptions, random: Random, now: number) {
    // Whoever is made known is about to be sent requests.
    this.#interval = new CheckInterval('active', options, random);
    this.#backoff = new CheckInterval('down', options, random);
    this.#nextMs = now;
  }

  get nextMs(): number {
    return this.#nextMs;
  }

  get pace(): HealthPace {
    return this.#interval.pace;
  }

  setPace(pace: HealthPace): void {
    this.#interval.setPace(pace);
  }

  /** A check is made. */
  onCheck(now: number): void {
    this.#lastMs = now;
  }

  /** No later than that. */
  by(ms: number): void {
    this.#nextMs = Math.min(this.#nextMs, ms);
  }

  soon(now: number): void {
    this.by(Math.max(now, this.#lastMs + LEAST_PAUSE_MS));
  }

  at(ms: number): void {
    this.#nextMs = ms;
  }

  never(): void {
    this.#nextMs = Number.POSITIVE_INFINITY;
  }

  atPace(now: number): void {
    this.#nextMs = now + this.#interval.next();
  }

  byPace(now: number): void {
    this.by(now + this.#interval.next());
  }

  /** For one that is down; but one that nobody calls is not looked for any harder. */
  atBackoff(now: number): void {
    if (this.pace === 'inactive') this.atPace(now);
    else this.#nextMs = now + this.#backoff.next();
  }

  byBackoff(now: number): void {
    this.by(now + this.#backoff.next());
  }

  spread(ms: number): number {
    return this.#interval.spread(ms);
  }

  restartBackoff(): void {
    this.#backoff.restart();
  }

  restart(): void {
    this.#interval.restart();
    this.#backoff.restart();
  }
}
