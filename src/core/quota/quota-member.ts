import { checkInteger, checkNonNegative, checkPositive, checkWithin, withDefaults } from '../check.js';
import { elapsedMs } from '../elapsed.js';
import { evenShare, HeldShare } from './held-share.js';
import { LevelRows } from './level-rows.js';
import { ownShare, type Restraint } from './own-share.js';
import type { QuotaAccount } from './quota-account.js';
import {
  QUOTA_ENFORCEMENT_DEFAULTS,
  QuotaEnforcement,
  type QuotaEnforcementOptions,
} from './quota-enforcement.js';
import type { QuotaLevels } from './quota-levels.js';
import { LimitBook, type LimitLadder, type QuotaLimits } from './quota-limits.js';
import { RANKS } from './rank-line.js';
import { ReportRows } from './report-rows.js';
import type { UsageReport } from './usage-report.js';

/** For how long a backend believes what it was told, and what it does after that. */
export interface QuotaMemberOptions extends QuotaEnforcementOptions {
  /** Levels are believed for so long. */
  readonly freshMs: number;
  /** Then each backend keeps to its part as last known, until so long after the last levels. */
  readonly holdMs: number;
  /** `burstMs` while nobody is heard. */
  readonly holdBurstMs: number;
  /** Among how many backends a limit is divided when nobody ever said. Undefined: each may let all of it pass. */
  readonly backends: number | undefined;
  /** The part of each limit for when nobody was heard for long. Undefined: an equal one for each backend last known. */
  readonly safeShare: number | undefined;
  /** Customers in a report, besides those with limits of their own and those that are restrained. */
  readonly maxReported: number;
}

export const QUOTA_MEMBER_DEFAULTS: QuotaMemberOptions = Object.freeze({
  ...QUOTA_ENFORCEMENT_DEFAULTS,
  // Longer than another coordinator needs: 1.5 s until it is elected, 1.5 s until it has heard everybody.
  freshMs: 3_000,
  // Long enough for a Redis that restarts. Traffic moves meanwhile, and parts of before fit less and less.
  holdMs: 30_000,
  // A part is small: ten requests a second where the limit is a thousand, and a part of 1.1 times what is wanted. With
  // 2 s saved up 0.5 % are refused of a customer at 90 % of its quota, with 5 s none.
  holdBurstMs: 5_000,
  backends: undefined,
  safeShare: undefined,
  // Somebody without a row uses less than a thousandth of the fleet. A row is 5 to 9 bytes, a report 9 KB at most.
  maxReported: 1_000,
});

/**
 * Saved up at each backend while nobody is heard, where `holdBurstMs` is less. A part of less than two requests a second
 * is refused for chance alone: with two of them 12 % of a customer at 80 % of its quota, with ten 1 %.
 */
const HELD_REQUESTS = 10;

/** `alone`: no levels were ever heard. */
export type QuotaStage = 'alone' | 'fresh' | 'holding' | 'safe';

/** One customer at this backend. */
export interface MemberCustomerSnapshot {
  readonly customer: string;
  /** Of the whole fleet. Infinity: none. */
  readonly limitPerSecond: number;
  /** What it may use here, as it is now. Infinity: no limit. */
  readonly hereLimitPerSecond: number;
  readonly usedPerSecond: number;
  readonly demandPerSecond: number;
  readonly refusedPerSecond: number;
  /** Criticalities below this rank are refused. */
  readonly rank: number;
  /** Of that rank. Infinity: not restrained. */
  readonly level: number;
}

/** What a backend keeps to, and how it knows. */
export interface QuotaMemberSnapshot {
  readonly stage: QuotaStage;
  /** Of the last levels; 0 before. */
  readonly token: number;
  readonly backends: number | undefined;
  /** Those who used or wanted something lately. */
  readonly customers: readonly MemberCustomerSnapshot[];
}

/**
 * One backend's part in global quotas: reports what its customers use, and holds them to what the coordinator says.
 * While it hears levels, who is within its quota is never refused here, however little of the quota would be this
 * backend's part. When it hears none any more, it goes on by itself: first with its part as last known, then with an
 * equal one.
 */
export class QuotaMember {
  /** What the gate asks. */
  readonly enforcement: QuotaEnforcement;
  readonly #options: QuotaMemberOptions;
  #book: LimitBook;
  readonly #rows: ReportRows;
  readonly #held = new HeldShare();
  readonly #levelRows = new LevelRows();
  /** Another one when limits are others. */
  #bookLimits: (customer: string) => LimitLadder;
  #restrained: ReadonlyMap<string, Restraint> = new Map();
  #stage: QuotaStage = 'alone';
  #heardMs = Number.NEGATIVE_INFINITY;

  constructor(limits: QuotaLimits, given?: Partial<QuotaMemberOptions>) {
    const options = withDefaults('quotaMember', QUOTA_MEMBER_DEFAULTS, given);
    const { freshMs, holdMs, holdBurstMs, backends, safeShare, maxReported, ...enforcement } = options;
    checkPositive('freshMs', freshMs);
    checkWithin('holdMs', holdMs, freshMs, Number.MAX_VALUE);
    checkNonNegative('holdBurstMs', holdBurstMs);
    if (backends !== undefined) checkInteger('backends', backends, 1);
    if (safeShare !== undefined) checkWithin('safeShare', safeShare, 0, 1);
    checkInteger('maxReported', maxReported, 1);
    this.#options = options;
    this.#book = new LimitBook(limits);
    this.#bookLimits = limitsOf(this.#book);
    this.enforcement = new QuotaEnforcement(limits, enforcement);
    this.#rows = new ReportRows(this.enforcement.sheet, maxReported, (account) => this.#mustReport(account));
    this.#enter('alone');
  }

  get stage(): QuotaStage {
    return this.#stage;
  }

  /** Replaces all limits. What is owed, saved up or restrained stays. */
  setLimits(limits: QuotaLimits): void {
    this.#book = new LimitBook(limits);
    this.#bookLimits = limitsOf(this.#book);
    this.enforcement.setLimits(limits);
  }

  /** For the coordinator. Overwritten by the next one. */
  report(now: number): UsageReport {
    this.#rows.isSuspended = this.enforcement.isSuspended;
    this.enforcement.sheet.roll(now);
    return this.#rows.fill(this.enforcement.forgotten(now), now);
  }

  /** False: older than what is known. A lower token is believed only when what is known is no longer fresh. */
  hear(levels: QuotaLevels, now: number): boolean {
    this.#step(now);
    if (!this.#isNews(levels)) return false;
    this.#heardMs = now;
    this.#levelRows.find(levels.names, this.#rows.names, this.#bookLimits);
    this.#held.keep(levels, this.#levelRows, this.#rows.rates, now);
    this.#enter('fresh');
    this.#restrained = this.#restraintsOf(levels);
    this.enforcement.restrain(this.#restrained);
    return true;
  }

  /** Steps from fresh over holding to safe. Call it with each report. */
  tick(now: number): void {
    this.enforcement.sheet.roll(now);
    this.#step(now);
  }

  #step(now: number): void {
    if (this.#stage === 'alone') return;
    const silentMs = elapsedMs(this.#heardMs, now);
    if (silentMs >= this.#options.holdMs) this.#enter('safe');
    else if (silentMs >= this.#options.freshMs) this.#enter('holding');
  }

  snapshot(now: number): QuotaMemberSnapshot {
    const { levels } = this.#held;
    const { customers } = this.enforcement.usage(now);
    return {
      stage: this.#stage,
      token: levels?.token ?? 0,
      backends: levels?.backends ?? this.#options.backends,
      customers: customers.map(({ customer, usedPerSecond, demandPerSecond }) => {
        const restraint = this.#restrained.get(customer);
        return {
          customer,
          limitPerSecond: this.#book.of(customer)[RANKS - 1]!,
          hereLimitPerSecond: this.#limitsOf(customer)[RANKS - 1]!,
          usedPerSecond,
          demandPerSecond,
          refusedPerSecond: Math.max(0, demandPerSecond - usedPerSecond),
          rank: restraint?.rank ?? 0,
          level: restraint?.level ?? Number.POSITIVE_INFINITY,
        };
      }),
    };
  }

  #enter(stage: QuotaStage): void {
    if (stage === this.#stage && stage !== 'alone') return;
    this.#stage = stage;
    this.#restrained = new Map();
    const { holdBurstMs, holdMs } = this.#options;
    const isSilent = stage === 'holding' || stage === 'safe';
    const savings = isSilent ? { burstMs: holdBurstMs, requests: HELD_REQUESTS, mostMs: holdMs } : undefined;
    this.enforcement.follow((customer) => this.#limitsOf(customer), savings);
  }

  #limitsOf(customer: string): LimitLadder {
    const limits = this.#book.of(customer);
    // Who uses more than all of it at one backend is over it everywhere: no need to hear that first.
    if (this.#stage === 'fresh') return limits;
    return this.#stage === 'holding' ? this.#held.of(customer, limits) : evenShare(limits, this.#safeShare());
  }

  #safeShare(): number {
    const { safeShare, backends } = this.#options;
    const equal = 1 / (this.#held.levels?.backends ?? backends ?? 1);
    return this.#stage === 'safe' ? (safeShare ?? equal) : equal;
  }

  #isNews({ token, sequence }: QuotaLevels): boolean {
    const known = this.#held.levels;
    if (known === undefined) return true;
    // The same ones again say nothing, however long ago they were heard first.
    if (token === known.token && sequence === known.sequence) return false;
    if (this.#stage !== 'fresh') return true;
    return token === known.token ? sequence > known.sequence : token > known.token;
  }

  #restraintsOf(levels: QuotaLevels): Map<string, Restraint> {
    const restrained = new Map<string, Restraint>();
    const { reported, limits } = this.#levelRows;
    const { names, told, isHeld } = levels;
    for (let at = 0; at < isHeld.length; at++) {
      if (isHeld[at] !== 1) continue;
      const row = told === undefined ? at : told[at]!;
      restrained.set(names[row]!, ownShare(levels, at, limits[row]!, this.#rows.rates, reported[row]!));
    }
    return restrained;
  }

  #mustReport(account: QuotaAccount): boolean {
    return account.isRestrained || this.#book.isNamed(account.customer);
  }
}

function limitsOf(book: LimitBook): (customer: string) => LimitLadder {
  return (customer) => book.of(customer);
}
