import type { QuotaLevels, QuotaMember } from '../core/index.js';
import type { KnownLevels, ReportAnswer, ReportSent } from '../stores/redis/quota-exchange.js';
import { encodeReportNames, encodeReportValues, LevelsDecoder } from '../wire/index.js';

/**
 * So many levels in a row that came with answers instead of by themselves: whoever should push them is not connected, and
 * does not know it.
 */
const MOST_REPAIRS = 4;

export interface ReportCounts {
  /** That were sent and answered. */
  reports: number;
  /** That were not answered, or not in time. */
  failed: number;
  /** Levels that came by themselves. */
  pushed: number;
  /** Levels that had to come with an answer. */
  repaired: number;
  /** Levels that cannot be read. */
  unreadable: number;
}

/** What one backend says in turn, and what it hears. One report is under way at a time. */
export class ReportTurns {
  readonly counts: ReportCounts = { reports: 0, failed: 0, pushed: 0, repaired: 0, unreadable: 0 };
  readonly #member: QuotaMember;
  readonly #backend: string;
  #isUnderWay = false;
  /** The version of the names that Redis has. */
  #namesKnown: number | undefined = undefined;
  #namesSent: number | undefined = undefined;
  #known: KnownLevels | undefined = undefined;
  readonly #decoder = new LevelsDecoder();
  #repairsInARow = 0;

  constructor(member: QuotaMember, backend: string) {
    this.#member = member;
    this.#backend = backend;
  }

  /** What to send now. undefined: the one before is still under way; time passes all the same. */
  next(now: number): ReportSent | undefined {
    this.#member.tick(now);
    if (this.#isUnderWay) return undefined;
    this.#isUnderWay = true;
    const report = this.#member.report(now);
    const { namesVersion } = report;
    this.#namesSent = namesVersion;
    return {
      backend: this.#backend,
      values: encodeReportValues(report),
      namesVersion,
      names: namesVersion === this.#namesKnown ? undefined : encodeReportNames(report),
      known: this.#known,
    };
  }

  answered({ areNamesMissing, levels }: ReportAnswer, now: number): void {
    this.#isUnderWay = false;
    this.counts.reports++;
    this.#namesKnown = areNamesMissing ? undefined : this.#namesSent;
    if (levels === undefined || !this.#hear(levels, now)) return;
    this.counts.repaired++;
    this.#repairsInARow++;
  }

  failed(): void {
    this.#isUnderWay = false;
    this.counts.failed++;
    // It may have begun anew, or not have heard of these.
    this.#namesKnown = undefined;
  }

  pushed(bytes: Uint8Array, now: number): void {
    this.#repairsInARow = 0;
    if (this.#hear(bytes, now)) this.counts.pushed++;
  }

  /** Whether to listen anew. Once it has said so, it waits for as many again. */
  isDeaf(): boolean {
    if (this.#repairsInARow < MOST_REPAIRS) return false;
    this.#repairsInARow = 0;
    return true;
  }

  /** Whether these are news. */
  #hear(bytes: Uint8Array, now: number): boolean {
    const levels: QuotaLevels | undefined = this.#decoder.decode(bytes);
    if (levels === undefined) {
      this.counts.unreadable++;
      return false;
    }
    if (!this.#member.hear(levels, now)) return false;
    const { token, sequence } = levels;
    this.#known = { token, sequence };
    return true;
  }
}
