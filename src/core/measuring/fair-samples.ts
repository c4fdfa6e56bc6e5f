import { checkInteger, checkPositive } from '../check.js';

/** How many samples are kept, and taken in a second. */
export interface FairSamplesOptions {
  /** How many are kept. */
  readonly most: number;
  /** How many are taken in a second, of all kinds together. */
  readonly perSecond: number;
}

/** One of the kinds that share the samples. Whoever has something to show compares, and makes it only then. */
export class SampleKind {
  /** From when on the next one of this kind is wanted. */
  nextMs = Number.NEGATIVE_INFINITY;
  lastMs = Number.NEGATIVE_INFINITY;
  kept = 0;
}

interface Kept<T> {
  readonly kind: SampleKind;
  readonly value: T;
}

/** A kind that has shown nothing for so long leaves its turns to the others. */
const ACTIVE_MS = 1_000;

/**
 * A few of very many events, so that each kind is seen. A kind that was recently shown waits until all others that are
 * there have had their turn: of k kinds, each gets a k-th of the rate, and one that is rare is shown at once. The same
 * holds for what is kept: the kind that has most of the places gives one up. An event that is not wanted costs its
 * owner one comparison, `now < kind.nextMs`.
 */
export class FairSamples<T> {
  readonly #most: number;
  readonly #spacingMs: number;
  readonly #kinds: SampleKind[] = [];
  /** Oldest first. */
  readonly #kept: Kept<T>[] = [];

  constructor({ most, perSecond }: FairSamplesOptions) {
    this.#most = checkInteger('most', most, 1);
    this.#spacingMs = 1_000 / checkPositive('perSecond', perSecond);
  }

  /** Another kind; there are to be a handful. */
  addKind<K extends SampleKind>(kind: K): K {
    this.#kinds.push(kind);
    return kind;
  }

  add(kind: SampleKind, value: T, now: number): void {
    kind.lastMs = now;
    kind.nextMs = now + this.#spacingMs * this.#active(now);
    kind.kept++;
    this.#kept.push({ kind, value });
    if (this.#kept.length > this.#most) this.#forgetOne();
  }

  /** Newest first. */
  values(): T[] {
    return this.#kept.map(({ value }) => value).reverse();
  }

  #active(now: number): number {
    let active = 0;
    for (const { lastMs } of this.#kinds) if (now - lastMs < ACTIVE_MS) active++;
    return active;
  }

  /** The oldest of the kind that has most. */
  #forgetOne(): void {
    let most = this.#kept[0]!.kind;
    for (const { kind } of this.#kept) if (kind.kept > most.kept) most = kind;
    const oldest = this.#kept.findIndex(({ kind }) => kind === most);
    this.#kept.splice(oldest, 1);
    most.kept--;
  }
}
