import { existsSync, readFileSync } from 'node:fs';

const SLICE_MS = 100;
/** The kernel counts in units of 10 ms. */
const MOST_STOLEN_MS = 10;

const PROCESSORS = '/proc/stat';
const STEAL_COLUMN = 8;
const MS_PER_TICK = 10;

/** For how long each virtual processor could have run, but its host gave the time to others. Known on Linux. */
export function stealPerProcessor(): number[] {
  if (!existsSync(PROCESSORS)) return [];
  const lines = readFileSync(PROCESSORS, 'utf8').match(/^cpu\d+ .*$/gm) ?? [];
  return lines.map((line) => Number(line.split(' ')[STEAL_COLUMN]) * MS_PER_TICK);
}

/**
 * Tells when the machine was there for the measurement. On a shared host a virtual processor stands still for up to a
 * tenth of a second at times: what happens to requests then says nothing about the server. A slice of time is calm
 * when in it, in the one before (that left a queue) and in the one after (that its last requests reach into) no
 * processor was missing for more than 10 of 100 ms, and the generator was on time.
 */
export class Calm {
  readonly #steal: () => number[];
  readonly #disturbed: boolean[] = [];
  #last: number[];

  constructor(steal: () => number[] = stealPerProcessor) {
    this.#steal = steal;
    this.#last = steal();
  }

  /** To be called often. */
  poll(atMs: number): void {
    const slice = Math.floor(atMs / SLICE_MS);
    if (slice <= this.#disturbed.length) return;
    const steal = this.#steal();
    const isStolen = steal.some((ms, processor) => ms - this.#last[processor]! > MOST_STOLEN_MS);
    this.#last = steal;
    while (this.#disturbed.length < slice) this.#disturbed.push(isStolen);
  }

  /** Something else went wrong then. */
  disturb(atMs: number): void {
    this.poll(atMs);
    this.#disturbed[Math.floor(atMs / SLICE_MS)] = true;
  }

  isCalm(atMs: number): boolean {
    const slice = Math.floor(atMs / SLICE_MS);
    return !(this.#disturbed[slice - 1] || this.#disturbed[slice] || this.#disturbed[slice + 1]);
  }

  /** How much of that time was calm. */
  calmMs(fromMs: number, toMs: number): number {
    let calm = 0;
    for (let at = fromMs; at < toMs; ) {
      const end = Math.min(toMs, (Math.floor(at / SLICE_MS) + 1) * SLICE_MS);
      if (this.isCalm(at)) calm += end - at;
      at = end;
    }
    return calm;
  }
}
