import { type HeavyHitter, HeavyHitters } from '../../core/index.js';

/** The last minute, which is what one looks at; in steps of ten seconds. */
const WINDOW = Object.freeze({ counters: 64, windowMs: 60_000, slots: 6 });

/** So many are shown. */
const MOST_SHOWN = 10;

/** Parts of a key are short, but there may be several. */
const MOST_CHARACTERS = 128;

/** So many decisions of a second are looked at: more of them would not change who is on top. */
const MOST_SAMPLES = 200;

const SECOND_MS = 1_000;

/**
 * Whose requests a rule decides on most. Up to 200 decisions a second are all counted. Of more, one in so many is, by
 * chance, and stands for them all: then a key with h hits is off by about √(h × stride), 3 % for a tenth of 50,000 a
 * second over a minute, besides the 64th of all hits that the counters may miss (see HeavyHitters). A decision that is
 * not looked at costs a subtraction; one that is, 0.1 µs, or 0.4 µs when its key is new: above 1,000 a second that is
 * less than 0.1 µs for each.
 */
export class BusyKeys {
  readonly #now: () => number;
  readonly #random: () => number;
  /** Made with the first key: many rules never see one. */
  #hitters: HeavyHitters | undefined = undefined;
  /** One in so many is looked at. */
  #stride = 1;
  /** For how many the next one stands: as it was when it was chosen. */
  #weight = 1;
  #untilNext = 1;
  #second = 0;
  /** Of this second: looked at, and decided on. */
  #samples = 0;
  #decisions = 0;

  constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#now = now;
    this.#random = random;
  }

  add(key: string, isRefused: boolean): void {
    if (--this.#untilNext > 0) return;
    const now = this.#now();
    this.#pace(now);
    this.#hitters ??= new HeavyHitters(WINDOW);
    this.#hitters.add(key, this.#weight, isRefused, now);
    this.#weight = this.#stride;
    // By chance and not each n-th: requests that come in turns would always show the same one.
    this.#untilNext = 1 + Math.floor(this.#random() * (2 * this.#stride - 1));
  }

  /** Busiest first. */
  top(): HeavyHitter[] {
    const now = this.#now();
    this.#calmDown(now);
    const top = this.#hitters?.top(MOST_SHOWN, now) ?? [];
    return top.map(({ key, hits, refused }) => ({ key: key.slice(0, MOST_CHARACTERS), hits, refused }));
  }

  /** A rush is over, and whoever looks would not see the few that come now for those that were to be left out. */
  #calmDown(now: number): void {
    if (Math.floor(now / SECOND_MS) <= this.#second + 1) return;
    this.#stride = 1;
    this.#weight = 1;
    this.#untilNext = 1;
  }

  /** A second begins with the stride that the last one needed; in a rush it doubles. */
  #pace(now: number): void {
    const second = Math.floor(now / SECOND_MS);
    if (second !== this.#second) {
      const last = second === this.#second + 1 ? this.#decisions : 0;
      this.#stride = 2 ** Math.max(0, Math.ceil(Math.log2(last / MOST_SAMPLES)));
      this.#second = second;
      this.#samples = 0;
      this.#decisions = 0;
    }
    this.#decisions += this.#weight;
    this.#samples++;
    if (this.#samples < MOST_SAMPLES) return;
    this.#samples /= 2;
    this.#stride *= 2;
  }
}
