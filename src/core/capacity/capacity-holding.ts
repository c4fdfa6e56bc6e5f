import type { CapacityAsk, CapacityBand } from './capacity-messages.js';
import { Staircase } from './staircase.js';

/** An honest client needs two: what it had, and the less it was told. */
const MOST_STEPS = 4;

/** What one client may hold at most, whichever of the answers to it have arrived. */
export class CapacityHolding {
  life: string;
  bands: readonly CapacityBand[];
  /** For so long it counts as one that wants. */
  knownUntilMs = Number.NEGATIVE_INFINITY;
  #turn: number;
  /** By leases of this server, and of the one before. */
  readonly #granted = new Staircase();
  readonly #learned = new Staircase();
  /** The same of earlier lives. Whoever took their place does not know what is still out. */
  readonly #inheritedGranted = new Staircase();
  readonly #inheritedLearned = new Staircase();

  constructor({ life, bands, turn }: CapacityAsk) {
    this.life = life;
    this.bands = bands;
    this.#turn = turn - 1;
  }

  /** It had this when the server met it. */
  learn(capacity: number, untilMs: number): void {
    this.#learned.raise(capacity, untilMs);
  }

  /**
   * Takes what it says of itself. It will believe no answer but that to its latest ask, so of all that it was granted it
   * holds at most what it says. An ask that was overtaken says nothing, and is false here.
   */
  hear({ life, turn, has, bands }: CapacityAsk): boolean {
    if (life === this.life && turn <= this.#turn) return false;
    if (life === this.life) this.#cap(has);
    else this.#beginLife(life);
    this.#turn = turn;
    this.bands = bands;
    return true;
  }

  grant(capacity: number, untilMs: number): void {
    this.#granted.raise(capacity, untilMs);
    this.#granted.blur(MOST_STEPS);
  }

  release(): void {
    this.#cap(0);
    this.knownUntilMs = Number.NEGATIVE_INFINITY;
  }

  forget(now: number): void {
    for (const stairs of [this.#granted, this.#learned, this.#inheritedGranted, this.#inheritedLearned])
      stairs.forget(now);
  }

  /** By leases of this server. */
  grantedAt(ms: number): number {
    return Math.max(this.#granted.at(ms), this.#inheritedGranted.at(ms));
  }

  /** By those and the ones of the server before. */
  heldAt(ms: number): number {
    return Math.max(this.grantedAt(ms), this.#learned.at(ms), this.#inheritedLearned.at(ms));
  }

  /** What this life could give back by its next ask. */
  ownAt(ms: number): number {
    return this.#granted.at(ms);
  }

  /** What it cannot know of. */
  inheritedAt(ms: number): number {
    return Math.max(this.#inheritedGranted.at(ms), this.#inheritedLearned.at(ms));
  }

  isOver(now: number): boolean {
    return now >= this.knownUntilMs && this.heldAt(now) === 0;
  }

  #cap(most: number): void {
    this.#granted.cap(most);
    this.#learned.cap(most);
  }

  #beginLife(life: string): void {
    this.#inheritedGranted.raiseTo(this.#granted);
    this.#inheritedLearned.raiseTo(this.#learned);
    // One step: the new life is told how much it is, and relies on that until all of it ends.
    this.#inheritedGranted.blur(1);
    this.#cap(0);
    this.life = life;
  }
}
