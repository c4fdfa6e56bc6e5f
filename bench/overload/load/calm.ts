import { existsSync, readFileSync } from 'node:fs';
import type { Stall } from '../watch/stall.js';

const SLICE_MS = 100;
/** The kernel counts in units of 10 ms. */
const MOST_STOLEN_MS = 10;

/** Whoever came so long before a core stood still was answered by then, or is late by something else. */
const BEFORE_STALL_MS = 3;
/** For so many times as long a queue is felt that a stall left, where a core is busy for 90 % of the time. */
const TIMES_AFTER_STALL = 10;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

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
 * processor was missing for more than 10 of 100 ms, and the generator was on time. Where cores are watched, so is what
 * is not near any stall: an instant is judged by when it is, never by how long its request took, so that nothing slow is left out for
 * being slow.
 */
export class Calm {
  readonly #steal: () => number[];
  readonly #disturbed: boolean[] = [];
  #last: number[];
  /** What stalls spoil: disjoint, in order. */
  #spoilt: Span[] = [];

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

  /** When cores stood still, in the time of this measurement. */
  spoil(stalls: readonly Stall[]): void {
    this.#spoilt = [];
    for (const { untilMs, lostMs } of [...stalls].sort((a, b) => a.untilMs - b.untilMs)) {
      const fromMs = untilMs - lostMs - BEFORE_STALL_MS;
      const felt = TIMES_AFTER_STALL * lostMs;
      const last = this.#spoilt.at(-1);
      if (last === undefined || fromMs > last.toMs) this.#spoilt.push({ fromMs, toMs: untilMs + felt });
      // What the one before left is still there, and this comes on top of it.
      else this.#spoilt[this.#spoilt.length - 1] = { ...last, toMs: Math.max(last.toMs, untilMs) + felt };
    }
  }

  isCalm(atMs: number): boolean {
    return this.#isCalmSlice(atMs) && !this.#spoilt.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  }

  #isCalmSlice(atMs: number): boolean {
    const slice = Math.floor(atMs / SLICE_MS);
    return !(this.#disturbed[slice - 1] || this.#disturbed[slice] || this.#disturbed[slice + 1]);
  }

  /** How much of that time was calm. */
  calmMs(fromMs: number, toMs: number): number {
    let calm = 0;
    for (let at = fromMs; at < toMs; ) {
      const end = Math.min(toMs, (Math.floor(at / SLICE_MS) + 1) * SLICE_MS);
      if (this.#isCalmSlice(at)) calm += end - at - this.#spoiltMs(at, end);
      at = end;
    }
    return calm;
  }

  #spoiltMs(fromMs: number, toMs: number): number {
    return this.#spoilt.reduce(
      (sum, span) => sum + Math.max(0, Math.min(toMs, span.toMs) - Math.max(fromMs, span.fromMs)),
      0,
    );
  }
}
