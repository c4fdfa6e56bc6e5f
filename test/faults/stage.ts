import { setTimeout as sleep } from 'node:timers/promises';

/** Ending a thing takes no longer; what does is left behind, and told of. */
const END_WITHIN_MS = 15_000;

const open = new Set<Stage>();

/** For a run that is broken off. */
export async function strikeAll(): Promise<void> {
  await Promise.all([...open].map((stage) => stage.strike()));
}

/** Where a fault happens: owns what was started for it, and ends it whatever comes. */
export class Stage {
  readonly #fault: string;
  readonly #owned: (() => unknown)[] = [];

  constructor(fault: string) {
    this.#fault = fault;
    open.add(this);
  }

  /** Progress, for people who wait. */
  say(text: string): void {
    console.error(`faults: ${this.#fault}: ${text}`);
  }

  own<T>(thing: T, end: (thing: T) => unknown): T {
    this.#owned.push(() => end(thing));
    return thing;
  }

  /** What is `stop`ped at the end. */
  async start<T extends { stop(): unknown }>(starting: T | Promise<T>): Promise<T> {
    return this.own(await starting, (thing) => thing.stop());
  }

  /** The last first. What cannot be ended does not keep the rest from it. */
  async strike(): Promise<void> {
    open.delete(this);
    for (const end of this.#owned.splice(0).reverse()) {
      const late = sleep(END_WITHIN_MS, 'late', { ref: false });
      const ended = await Promise.race([Promise.resolve().then(end), late]).catch((error: unknown) => error);
      if (ended === 'late' || ended instanceof Error) this.say(`something did not end: ${ended}`);
    }
  }
}

/** Looks again and again; how long it took. Throws when it does not become so. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<number> {
  const beganMs = performance.now();
  while (!(await isSo())) {
    if (performance.now() > beganMs + withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
  return performance.now() - beganMs;
}
