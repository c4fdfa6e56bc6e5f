import { randomUUID } from 'node:crypto';
import { type LeaseGrant, type RateDecision, TokenBlock } from '../../core/index.js';
import type { LeaseRequest, LeaseStore } from '../../stores/lease-store.js';
import type { RateRule } from '../../stores/rate-store.js';
import type { StoreCalls } from '../store-calls.js';
import type { LeaseOptions } from './lease-options.js';

interface Waiter {
  readonly cost: number;
  readonly decide: (decision: RateDecision | undefined) => void;
}

interface LeasedKey {
  readonly key: string;
  readonly block: TokenBlock;
  readonly waiting: Waiter[];
  /** What was refused at once since somebody was asked, for want of a lease: the first of it, and all. */
  missedFirst: number;
  missed: number;
  /** How often somebody came, half of it forgotten with each sweep. */
  uses: number;
}

/** What is idle is looked for so often: at the latest after 300 ms it is back where others can have it. */
const SWEEP_MS = 100;

/** How many of the oldest are looked at to make room for a new one. */
const LOOKED_AT = 8;

/**
 * Decides by itself upon units that it has leased, and asks for more in the background: what is asked for in one turn of
 * the event loop travels together.
 */
export class LeasedKeys {
  readonly #rule: RateRule;
  readonly #most: number;
  readonly #store: LeaseStore;
  readonly #calls: StoreCalls;
  readonly #options: LeaseOptions;
  readonly #holder = randomUUID();
  readonly #keys = new Map<string, LeasedKey>();
  #last: LeasedKey | undefined = undefined;
  #due = new Set<LeasedKey>();
  readonly #underWay = new Set<Promise<void>>();
  #turn = 0;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined = undefined;

  constructor(rule: RateRule, store: LeaseStore, calls: StoreCalls, options: LeaseOptions) {
    this.#rule = rule;
    this.#most = rule.options.burst ?? rule.options.limit;
    this.#store = store;
    this.#calls = calls;
    this.#options = options;
  }

  /** Undefined when there was somebody to ask, and no answer. */
  async take(key: string, cost: number): Promise<RateDecision | undefined> {
    const now = performance.now();
    const leased = this.#leasedOf(key, now);
    const answer = cost > this.#most ? 'refused' : leased.block.take(now, cost);
    if (answer !== 'unknown') return this.#decided(leased, now, answer === 'allowed', cost);
    return await this.#wait(leased, cost);
  }

  /** By what it has: without a lease it refuses, and asks for one. */
  takeNow(key: string, cost: number): RateDecision {
    const now = performance.now();
    const leased = this.#leasedOf(key, now);
    const answer = cost > this.#most ? 'refused' : leased.block.take(now, cost);
    if (answer === 'unknown') this.#miss(leased, cost);
    // Nobody waits here: what is asked for when it is missing comes too late.
    else if (leased.block.isSpent(now, cost)) {
      leased.missed = Math.max(leased.missed, cost);
      this.#askFor(leased);
    }
    return this.#decided(leased, now, answer === 'allowed', cost);
  }

  /** As far as is known here: what others hold is not counted as remaining. */
  peek(key: string, cost: number): RateDecision {
    const now = performance.now();
    const leased = this.#leasedOf(key, now);
    return this.#decision(leased, now, cost <= leased.block.remaining(now), cost);
  }

  /** Where `settle` finds what was taken. */
  turnOf(key: string): number {
    return this.#keys.get(key)?.block.turn ?? 0;
  }

  settle(key: string, reserved: number, actual: number, turn: number): void {
    const leased = this.#keys.get(key);
    // As much as of a bucket: all that it has, and one limit more.
    leased?.block.giveBack(performance.now(), reserved - actual, turn, 2 * this.#most);
    if (leased?.block.isInDebt) this.#askFor(leased);
  }

  reset(key: string): void {
    const leased = this.#keys.get(key);
    if (leased?.waiting.length === 0 && !leased.block.isAsking) this.#drop(leased);
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Gives back what is left, when what is under way has come. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#timer = undefined;
    await Promise.all(this.#underWay);
    for (const { waiting } of this.#keys.values())
      for (const { decide } of waiting.splice(0)) decide(undefined);
    await this.#giveBack([...this.#keys.values()]);
  }

  #leasedOf(key: string, now: number): LeasedKey {
    let leased = this.#last?.key === key ? this.#last : this.#keys.get(key);
    if (leased === undefined) {
      if (this.#keys.size >= this.#options.maxKeys) this.#makeRoom(now);
      leased = {
        key,
        block: new TokenBlock(() => ++this.#turn),
        waiting: [],
        missedFirst: 0,
        missed: 0,
        uses: 0,
      };
      this.#keys.set(key, leased);
      this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    }
    leased.uses++;
    this.#last = leased;
    return leased;
  }

  #decided(leased: LeasedKey, now: number, allowed: boolean, cost: number): RateDecision {
    if (leased.block.isLow(now)) this.#askFor(leased);
    return this.#decision(leased, now, allowed, cost);
  }

  #decision({ block }: LeasedKey, now: number, allowed: boolean, cost: number): RateDecision {
    const limit = this.#most;
    const remaining = Math.min(limit, block.remaining(now));
    const retryAfterMs = cost > limit ? Number.POSITIVE_INFINITY : block.retryAfterMs(now);
    return {
      allowed,
      limit,
      remaining,
      resetMs: block.resetMs(now),
      retryAfterMs: allowed ? 0 : retryAfterMs,
    };
  }

  #wait(leased: LeasedKey, cost: number): Promise<RateDecision | undefined> {
    return new Promise((decide) => {
      leased.waiting.push({ cost, decide });
      this.#askFor(leased);
    });
  }

  #miss(leased: LeasedKey, cost: number): void {
    if (leased.missed === 0) leased.missedFirst = cost;
    leased.missed += cost;
    this.#askFor(leased);
  }

  #askFor(leased: LeasedKey): void {
    // Who is being asked already is asked again afterwards, if need be.
    if (leased.block.isAsking || this.#isClosed) return;
    if (this.#due.size === 0) setImmediate(() => this.#sendDue());
    this.#due.add(leased);
  }

  #sendDue(): void {
    if (this.#isClosed) return;
    const sent = this.#askAll().finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  async #askAll(): Promise<void> {
    const asked = [...this.#due];
    this.#due = new Set();
    const now = performance.now();
    const requests = asked.map((leased) => this.#request(leased, now));
    const grants = requests.length > 0 ? await this.#lease(requests) : undefined;
    for (const [i, leased] of asked.entries()) {
      const grant = grants?.[i];
      if (grant === undefined) leased.block.failed();
      else leased.block.granted(now, grant);
      this.#answer(leased, grant?.granted);
    }
  }

  #request(leased: LeasedKey, now: number): LeaseRequest {
    const { key, block, waiting, missedFirst, missed } = leased;
    const all = waiting.reduce((sum, { cost }) => sum + cost, 0);
    const needs = waiting[0]?.cost ?? missedFirst;
    leased.missed = 0;
    leased.missedFirst = 0;
    return { rule: this.#rule, key, ...block.ask(this.#holder, now, needs, all, missed) };
  }

  /** Undefined when nobody answered, whatever the reason: nothing here is worth an error that nobody awaits. */
  async #lease(requests: readonly LeaseRequest[]): Promise<readonly (LeaseGrant | undefined)[] | undefined> {
    try {
      return await this.#calls.call(() => this.#store.lease(requests));
    } catch {
      return undefined;
    }
  }

  /** Those who waited, as far as what came is enough. Undefined: nothing is known. */
  #answer(leased: LeasedKey, granted: number | undefined): void {
    const now = performance.now();
    const still: Waiter[] = [];
    for (const waiter of leased.waiting.splice(0)) {
      const answer = granted === undefined ? undefined : leased.block.take(now, waiter.cost);
      if (answer === undefined) waiter.decide(undefined);
      // Something came and was not enough for all: there may be more.
      else if (answer === 'unknown' && granted! > 0) still.push(waiter);
      else waiter.decide(this.#decision(leased, now, answer === 'allowed', waiter.cost));
    }
    leased.waiting.unshift(...still);
    if (still.length > 0) this.#askFor(leased);
  }

  #sweep(): void {
    const now = performance.now();
    const idle = [...this.#keys.values()].filter((leased) => isIdle(leased, now));
    for (const leased of idle) this.#drop(leased);
    void this.#giveBack(idle);
    for (const leased of this.#keys.values()) {
      leased.uses /= 2;
      // A debt is paid before anybody else is served.
      if (leased.block.isInDebt && leased.block.isSpent(now, 0)) this.#askFor(leased);
    }
    if (this.#keys.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #makeRoom(now: number): void {
    const oldest: LeasedKey[] = [];
    for (const leased of this.#keys.values()) {
      if (oldest.push(leased) === LOOKED_AT) break;
    }
    const free = oldest.filter(
      ({ block, waiting }) => waiting.length === 0 && !block.isAsking && !block.isInDebt,
    );
    const chosen = free.find((leased) => isIdle(leased, now)) ?? leastBusy(free);
    // The others are not looked at again before all the rest has been: a flood of new keys does not push out a busy one.
    for (const leased of oldest) {
      this.#keys.delete(leased.key);
      this.#keys.set(leased.key, leased);
    }
    if (chosen === undefined) return;
    this.#drop(chosen);
    void this.#giveBack([chosen]);
  }

  #drop(leased: LeasedKey): void {
    this.#keys.delete(leased.key);
    this.#due.delete(leased);
    if (this.#last === leased) this.#last = undefined;
  }

  /** It is said once. If it is not heard, it counts as spent. */
  async #giveBack(keys: readonly LeasedKey[]): Promise<void> {
    const now = performance.now();
    const requests: LeaseRequest[] = [];
    for (const { key, block } of keys) {
      const ask = block.surrender(this.#holder, now);
      if (ask !== undefined) requests.push({ rule: this.#rule, key, ...ask });
    }
    if (requests.length > 0) await this.#lease(requests);
  }
}

function leastBusy(keys: readonly LeasedKey[]): LeasedKey | undefined {
  return keys.length === 0 ? undefined : keys.reduce((a, b) => (b.uses < a.uses ? b : a));
}

function isIdle({ block, waiting }: LeasedKey, now: number): boolean {
  return waiting.length === 0 && block.isIdle(now);
}
