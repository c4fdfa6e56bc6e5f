import { elapsedMs } from '../../core/index.js';

export interface RefusalSumsOptions {
  readonly windowMs: number;
  /** Refusals of a window that have lines of their own. */
  readonly linesPerWindow: number;
  /** Different sums in one window. */
  readonly mostSums: number;
}

export const REFUSAL_SUMS_DEFAULTS: RefusalSumsOptions = Object.freeze({
  windowMs: 1_000,
  // Enough to see of what kind they are; 5 KB a second however many come.
  linesPerWindow: 20,
  // Ten routes with all reasons that are likely at once; 8 KB in one line.
  mostSums: 100,
});

/** How many were refused alike. */
export interface RefusalSum {
  readonly reason: string;
  readonly route: string;
  readonly criticality: string;
  count: number;
}

/** Where sums end up that there is no room for. */
const OTHER = '(other)';

/** Which refusals have lines of their own, and sums of those that have not: under overload there is no time for more. */
export class RefusalSums {
  readonly #options: RefusalSumsOptions;
  readonly #sums = new Map<string, RefusalSum>();
  #windowMs = Number.NEGATIVE_INFINITY;
  #lines = 0;

  constructor(options: RefusalSumsOptions = REFUSAL_SUMS_DEFAULTS) {
    this.#options = options;
  }

  /** True: it may have a line. Else it has been added up. */
  admit(reason: string, route: string, criticality: string, now: number): boolean {
    if (elapsedMs(this.#windowMs, now) >= this.#options.windowMs) {
      this.#windowMs = now;
      this.#lines = 0;
    }
    if (this.#lines < this.#options.linesPerWindow) {
      this.#lines++;
      return true;
    }
    const known = this.#sums.get(keyOf(reason, route, criticality));
    if (known !== undefined) known.count++;
    else if (this.#sums.size < this.#options.mostSums) this.#add(reason, route, criticality);
    else this.#add(OTHER, OTHER, OTHER);
    return false;
  }

  #add(reason: string, route: string, criticality: string): void {
    const key = keyOf(reason, route, criticality);
    const known = this.#sums.get(key);
    if (known === undefined) this.#sums.set(key, { reason, route, criticality, count: 1 });
    else known.count++;
  }

  /** What has come together since it was asked for; the largest first. */
  take(): RefusalSum[] {
    const sums = [...this.#sums.values()].sort((a, b) => b.count - a.count);
    this.#sums.clear();
    return sums;
  }
}

function keyOf(reason: string, route: string, criticality: string): string {
  return `${reason}\n${criticality}\n${route}`;
}
