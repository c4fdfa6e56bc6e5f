import { setTimeout as wait } from 'node:timers/promises';
import { firstColumns } from '../text-width.js';
import type { AdminReader } from './admin-reader.js';
import { SeenEvents } from './events.js';
import type { Looks } from './rates.js';
import type { Seen } from './seen.js';
import { viewLines } from './view.js';

const MOST_EVENTS = 8;

/** Looks again and again at what an admin port says. */
export class Watch {
  readonly #reader: AdminReader;
  readonly #everyMs: number;
  readonly #events = new SeenEvents();
  readonly #ending = new AbortController();
  #looks: Looks<Seen> | undefined = undefined;
  #lastMs = 0;
  #problem: string | undefined = undefined;

  constructor(reader: AdminReader, everyMs: number) {
    this.#reader = reader;
    this.#everyMs = everyMs;
  }

  get isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  end(): void {
    this.#ending.abort();
  }

  /** Rejects when there is nothing to be read. */
  async look(): Promise<void> {
    // Whoever wants to leave does not wait for an answer that may not come.
    const now = await this.#reader.snapshot(this.#ending.signal);
    const nowMs = performance.now();
    this.#looks = { now, before: this.#looks?.now, elapsedMs: nowMs - this.#lastMs };
    this.#lastMs = nowMs;
  }

  /** Resolves sooner when it is over. */
  async pause(): Promise<void> {
    await wait(this.#everyMs, undefined, { signal: this.#ending.signal }).catch(() => {});
  }

  /** Until it is over. Whoever goes away is looked for until it is back; `onLook` is called either way. */
  async run(onLook: () => void): Promise<void> {
    const following = this.#reader.follow((event) => this.#events.add(event), this.#ending.signal);
    while (!this.isEnding) {
      try {
        await this.look();
        this.#problem = undefined;
      } catch (error) {
        this.#problem = (error as Error).message;
      }
      if (this.isEnding) break;
      onLook();
      await this.pause();
    }
    await following;
  }

  lines(width: number): string[] {
    const problem = this.#problem === undefined ? [] : [firstColumns(this.#problem, width), ''];
    const view =
      this.#looks === undefined ? [] : viewLines(this.#looks, this.#events.latest(MOST_EVENTS), width);
    return [...problem, ...view];
  }
}
