import {
  QUOTA_MEMBER_DEFAULTS,
  type QuotaLevels,
  type QuotaMember,
  type UsageReport,
} from '../core/index.js';
import type { KnownLevels, ReportAnswer, ReportSent } from '../stores/redis/quota-exchange.js';
import { encodeReportNames, encodeReportValues, LevelsDecoder } from '../wire/index.js';

/**
 * So many levels in a row that came with answers instead of by themselves: whoever should push them is not connected, and
 * does not know it.
 */
const MOST_REPAIRS = 4;

/** For how long levels are believed, and for how long what follows from them, as the member has it. */
export interface LevelAges {
  readonly freshMs: number;
  readonly holdMs: number;
}

/** What became of reports and levels since the start. */
export interface ReportCounts {
  /** That were sent and answered. */
  reports: number;
  /** That were not answered, or not in time. */
  failed: number;
  /** Levels that came by themselves. */
  pushed: number;
  /** Levels that had to come with an answer. */
  repaired: number;
  /** Levels that came by themselves and spoke of names that are not known here: they come with the next answer. */
  nameless: number;
  /** Levels that cannot be read. */
  unreadable: number;
  /** Levels that were too old when they came. */
  stale: number;
}

const NOBODY = Object.freeze({
  names: [],
  rank: new Uint8Array(0),
  level: new Float64Array(0),
  isHeld: new Uint8Array(0),
  spare: new Float64Array(0),
});

/** What one backend says in turn, and what it hears. One report is under way at a time. */
export class ReportTurns {
  readonly counts: ReportCounts = {
    reports: 0,
    failed: 0,
    pushed: 0,
    repaired: 0,
    nameless: 0,
    unreadable: 0,
    stale: 0,
  };
  readonly #member: QuotaMember;
  readonly #backend: string;
  readonly #ages: LevelAges;
  #isUnderWay = false;
  #names: UsageReport['names'] | undefined = undefined;
  #version = 0;
  /** The version of the names that Redis has. */
  #namesKnown: number | undefined = undefined;
  #namesSent: number | undefined = undefined;
  #known: KnownLevels | undefined = undefined;
  readonly #decoder = new LevelsDecoder();
  #repairsInARow = 0;

  constructor(member: QuotaMember, backend: string, ages: LevelAges = QUOTA_MEMBER_DEFAULTS) {
    this.#member = member;
    this.#backend = backend;
    this.#ages = ages;
  }

  /** What to send now. undefined: the one before is still under way; time passes all the same. */
  next(now: number): ReportSent | undefined {
    this.#member.tick(now);
    if (this.#isUnderWay) return undefined;
    this.#isUnderWay = true;
    const report = this.#counted(this.#member.report(now));
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

  /**
   * With a version that no other names of this backend ever have. Customers choose their names, and so could choose what
   * follows from these; and the name of a backend is that of one life.
   */
  #counted({ names, count, rates, refused, isSuspended }: UsageReport): UsageReport {
    if (names !== this.#names) {
      this.#names = names;
      this.#version++;
    }
    return { names, namesVersion: this.#version, count, rates, refused, isSuspended };
  }

  answered({ areNamesMissing, levels }: ReportAnswer, now: number): void {
    this.#isUnderWay = false;
    this.counts.reports++;
    this.#namesKnown = areNamesMissing ? undefined : this.#namesSent;
    if (levels === undefined) return;
    const { bytes, ageMs } = levels;
    if (ageMs >= this.#ages.freshMs) {
      this.#hearOld(bytes, now);
      return;
    }
    // They are as old here as they are there.
    if (!this.#hear(bytes, now - ageMs)) return;
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

  /**
   * Whoever has heard nothing yet learns from them how many backends there were, and has an equal part of each limit
   * until somebody speaks. What they say of customers is long over.
   */
  #hearOld(bytes: Uint8Array, now: number): void {
    const levels = this.#decode(bytes);
    if (levels === undefined) return;
    this.counts.stale++;
    const { token, sequence, backends } = levels;
    this.#known = { token, sequence };
    if (this.#member.stage !== 'alone') return;
    this.#member.hear({ ...NOBODY, token, sequence, backends }, now - this.#ages.holdMs);
    this.#member.tick(now);
  }

  #decode(bytes: Uint8Array): QuotaLevels | undefined {
    const levels = this.#decoder.decode(bytes);
    if (levels === undefined) this.counts.unreadable++;
    else if (levels === 'names-needed') this.counts.nameless++;
    else return levels;
    return undefined;
  }

  /** Whether these are news. */
  #hear(bytes: Uint8Array, now: number): boolean {
    const levels = this.#decode(bytes);
    if (levels === undefined || !this.#member.hear(levels, now)) return false;
    const { token, sequence } = levels;
    this.#known = { token, sequence };
    return true;
  }
}
