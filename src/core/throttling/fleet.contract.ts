import { SeededRandom } from '../seeded-random.js';
import { AdaptiveThrottle, THROTTLE_DEFAULTS, type ThrottleOptions } from './adaptive-throttle.js';
import type { ThrottleStats } from './throttle-stats.js';

export const CLIENTS = 100;

/** What the backend can serve of each client in a window. With fewer than 100, K = 1.1 is lost in the noise. */
export const ACCEPTS_PER_WINDOW = 105;

/** So many requests at once are served from rest. */
const BURST = 20;

/** An outcome is known 50 to 100 ms after its request. The wheel holds those under way, by ticks of 10 ms. */
const TICK_MS = 10;
const LEAST_TICKS = 6;
const LATENCIES = 5;
const WHEEL = 16;

/** What happened in one stretch of time. */
export interface Tally {
  offered: number;
  localRefusals: number;
  rejects: number;
  served: number;
  readonly servedByClient: number[];
}

interface Client {
  readonly throttle: AdaptiveThrottle;
  readonly stats: ThrottleStats;
}

/**
 * Clients that throttle, each for itself, before a backend that serves what it can and refuses the rest. No retries.
 */
export class Fleet {
  readonly #random: SeededRandom;
  readonly #clients: readonly Client[];
  readonly #windowMs: number;
  readonly #capacityPerMs: number;
  readonly #wheel: number[][] = Array.from({ length: WHEEL }, () => []);
  #tick = 0;
  #now = 0;
  #tokens = BURST;
  #refilledMs = 0;

  constructor(options: Partial<ThrottleOptions>, seed = 1) {
    this.#random = new SeededRandom(seed);
    this.#windowMs = options.windowMs ?? THROTTLE_DEFAULTS.windowMs;
    this.#capacityPerMs = (CLIENTS * ACCEPTS_PER_WINDOW) / this.#windowMs;
    this.#clients = Array.from({ length: CLIENTS }, (_, index) => {
      const random = new SeededRandom(seed, index + 1);
      const throttle = new AdaptiveThrottle(() => random.uint32() / 0x1_0000_0000, options);
      return { throttle, stats: throttle.statsOf('service', 'customer', 'CRITICAL') };
    });
  }

  /** Poisson arrivals of `load` times the capacity; `isDown`: the backend refuses all. */
  run(load: number, windows: number, isDown = false): Tally {
    const tally = { offered: 0, localRefusals: 0, rejects: 0, served: 0, servedByClient: [] as number[] };
    const servedByClient = new Uint32Array(CLIENTS);
    const untilMs = this.#now + windows * this.#windowMs;
    for (;;) {
      this.#now -= Math.log(1 - this.#random.next()) / (load * this.#capacityPerMs);
      if (this.#now >= untilMs) break;
      this.#settleDue();
      const index = this.#random.below(CLIENTS);
      const { throttle, stats } = this.#clients[index]!;
      tally.offered++;
      if (!throttle.admit(stats, this.#now)) {
        tally.localRefusals++;
        continue;
      }
      const isServed = this.#takeToken() && !isDown;
      if (isServed) servedByClient[index]!++;
      tally[isServed ? 'served' : 'rejects']++;
      const due = Math.floor(this.#now / TICK_MS) + LEAST_TICKS + this.#random.below(LATENCIES);
      this.#wheel[due % WHEEL]!.push(isServed ? index : ~index);
    }
    this.#now = untilMs;
    tally.servedByClient.push(...servedByClient);
    return tally;
  }

  #takeToken(): boolean {
    const refill = (this.#now - this.#refilledMs) * this.#capacityPerMs;
    this.#tokens = Math.min(BURST, this.#tokens + refill);
    this.#refilledMs = this.#now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #settleDue(): void {
    for (; this.#tick * TICK_MS <= this.#now; this.#tick++) {
      const due = this.#wheel[this.#tick % WHEEL]!;
      for (const entry of due) {
        const { throttle, stats } = this.#clients[entry < 0 ? ~entry : entry]!;
        throttle.settle(stats, entry < 0 ? 'rejected' : 'accepted', this.#tick * TICK_MS);
      }
      due.length = 0;
    }
  }
}

/** The share of all requests that clients refused themselves, for each tenth of a window. */
export function recoveryCurve(fleet: Fleet, load: number, windows: number): number[] {
  return Array.from({ length: 10 * windows }, () => {
    const { offered, localRefusals } = fleet.run(load, 0.1);
    return localRefusals / offered;
  });
}
