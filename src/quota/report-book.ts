import { elapsedMs, type QuotaCoordinator } from '../core/index.js';
import type { ReportRow } from '../stores/redis/quota-exchange.js';
import { ReportDecoder } from '../wire/index.js';

/** Names of a backend that is silent for so long are forgotten: Redis drops them then, too. */
export const DROP_MS = 10_000;

/** Each with its thousand names 100 kB: a gigabyte. Such a fleet has a tree. */
const MOST_BACKENDS = 10_000;

interface Known {
  readonly decoder: ReportDecoder;
  heardMs: number;
}

/** Reads what backends report, for one term of a coordinator: the names of each are kept, since they come once. */
export class ReportBook {
  /** Reports that cannot be read, or of one backend too many. */
  unreadable = 0;
  readonly #coordinator: QuotaCoordinator;
  readonly #known = new Map<string, Known>();
  #waiting: ReportRow[] = [];

  constructor(coordinator: QuotaCoordinator) {
    this.#coordinator = coordinator;
  }

  /** Passes them on. Those whose names are not known wait for `learn`. */
  read(rows: readonly ReportRow[], now: number): void {
    // Of who waits since the last time there is a newer one soon.
    this.#waiting = [];
    for (const row of rows) {
      const known = this.#knownOf(row.backend, now);
      if (known === undefined) this.unreadable++;
      else this.#pass(known, row, undefined, now);
    }
  }

  /** Backends whose names are needed. */
  get wanted(): readonly string[] {
    return this.#waiting.map(({ backend }) => backend);
  }

  /** The names of those that were wanted, in that order. Who has none sends them with its next report. */
  learn(names: readonly (Uint8Array | undefined)[], now: number): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [i, row] of waiting.entries()) {
      if (names[i] !== undefined) this.#pass(this.#known.get(row.backend)!, row, names[i], now);
    }
  }

  forgetSilent(now: number): void {
    for (const [backend, { heardMs }] of this.#known) {
      if (elapsedMs(heardMs, now) > DROP_MS) this.#known.delete(backend);
    }
  }

  #pass({ decoder }: Known, row: ReportRow, names: Uint8Array | undefined, now: number): void {
    const report = decoder.decode(row.values, names);
    if (report === undefined) this.unreadable++;
    else if (report === 'names-needed') this.#waiting.push(row);
    else this.#coordinator.report(row.backend, report, row.ageMs, now);
  }

  #knownOf(backend: string, now: number): Known | undefined {
    let known = this.#known.get(backend);
    if (known === undefined) {
      if (this.#known.size >= MOST_BACKENDS) return undefined;
      known = { decoder: new ReportDecoder(), heardMs: now };
      this.#known.set(backend, known);
    }
    known.heardMs = now;
    return known;
  }
}
