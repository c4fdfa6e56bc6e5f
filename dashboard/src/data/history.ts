import { type Sample, sampleBetween, type Totals, totalsOf } from './sample.js';
import type { Snapshot } from './snapshot.js';

/** What the charts show. */
export const HISTORY_MS = 300_000;
/**
 * After a longer pause between two snapshots nothing is known of the time between: the line is broken there. Large ones come
 * every five seconds, and a little later.
 */
const LONGEST_STEP_MS = 8_000;

/** The last minutes as samples, oldest first. It holds what was computed and two snapshots; all else is in those. */
export class History {
  #samples: readonly (Sample | undefined)[] = [];
  #totals: Totals | undefined = undefined;
  #clockMs = 0;
  previous: Snapshot | undefined = undefined;
  current: Snapshot | undefined = undefined;
  /** Between the two. */
  seconds = 0;

  /** Undefined stands for a gap. A new array each time, so that it can be compared. */
  get samples(): readonly (Sample | undefined)[] {
    return this.#samples;
  }

  get last(): Sample | undefined {
    return this.#samples.at(-1);
  }

  /** `arrivedMs` by this page's clock. */
  add(snapshot: Snapshot, arrivedMs: number): void {
    // Its own clock, where it has one: what was held up on its way would look like a burst.
    const clockMs = snapshot.process?.uptimeMs ?? arrivedMs;
    const totals = totalsOf(snapshot);
    const stepMs = clockMs - this.#clockMs;
    const before = this.#totals;
    this.previous = this.current;
    this.current = snapshot;
    this.#totals = totals;
    this.#clockMs = clockMs;
    this.seconds = stepMs / 1_000;
    if (before === undefined) return;
    const isGap = stepMs <= 0 || stepMs > LONGEST_STEP_MS;
    const sample = isGap ? undefined : sampleBetween(before, totals, this.seconds, snapshot, arrivedMs);
    if (sample === undefined) this.previous = undefined;
    const oldestMs = arrivedMs - HISTORY_MS;
    const kept = this.#samples.findIndex((each) => each !== undefined && each.atMs >= oldestMs);
    this.#samples = [...(kept < 0 ? [] : this.#samples.slice(kept)), sample];
  }
}
