import { elapsedMs } from '../elapsed.js';
import { addBands, cutBands, subclientsOf, wantsOf } from './capacity-bands.js';
import { CapacityHolding } from './capacity-holding.js';
import type { CapacityAsk, CapacityBand, CapacityGrant, CapacityRelease } from './capacity-messages.js';
import type { CapacityServerOptions } from './capacity-options.js';
import { priorityShares } from './priority-shares.js';
import type { Staircase } from './staircase.js';

/** What a server may hand out. */
export interface CapacityLimit {
  /** What is to be divided. */
  readonly capacity: number;
  /** What all clients together may hold: at first perhaps more, as long as an earlier limit holds. */
  readonly stairs: Staircase;
  /** No lease may go beyond. */
  readonly endsMs: number;
  /** More was asked for since, and may come. */
  readonly isProvisional: boolean;
  /** What an earlier server of this place may have handed out, at the most. undefined: who knows. */
  readonly before: number | undefined;
  /** What all together, or each by itself, should use when no server answers. */
  readonly safe: { readonly together: number } | { readonly each: number };
}

interface GrantedShare {
  readonly capacity: number;
  readonly share: number;
  readonly hadBefore: number;
}

/**
 * The clock of a client may be slow: leases are kept in the books for a thousandth longer than clients are told. A
 * crystal is off by a tenth of that at the most.
 */
export const DRIFT = 1.001;

/** Nobody hurries for less than a hundredth. */
const TRIFLE = 0.01;

/**
 * The leases of all clients of one resource, for a limit that is given with each ask.
 *
 * Bound: at each instant, now and later, the sum of what clients hold by its leases is at most what the limit is at that
 * instant, whatever is late or lost, if clients tell the truth. For a lease is in the books before it is told and at
 * least until it ends at the client (which counts from when it asked, while time here counts from when the ask came);
 * it leaves them early only by a later ask, which says what is still held; and a new one fits into what the others
 * leave, at each instant for which it holds.
 *
 * Leases of an earlier server do not come on top. A server that has just started learns of them by what clients say that
 * they have. As long as some may be out, those who were heard get at most what they had together, or what the earlier
 * server could hand out without what those who were not heard may have of it. When all of that is accounted for, there
 * is nothing left to learn.
 */
export class CapacityLedger {
  readonly #options: CapacityServerOptions;
  readonly #holdings = new Map<string, CapacityHolding>();
  readonly #learnsUntilMs: number;
  /** What clients have said that they have: before all are heard there is nothing else to divide. */
  #learned = 0;

  constructor(now: number, options: CapacityServerOptions) {
    this.#options = options;
    this.#learnsUntilMs = now + (options.learningMs ?? options.leaseMs * DRIFT);
  }

  /**
   * The answer to an ask. undefined: none, the client goes on with what it has and asks again. So it is for one that was
   * overtaken, without a limit, and while learning if it would have to be told to use less than it has only because the
   * limit does not yet count it. The limit is asked for when what the client says has been taken in.
   */
  refresh(
    now: number,
    ask: CapacityAsk,
    limitNow: () => CapacityLimit | undefined,
  ): CapacityGrant | undefined {
    const { leaseMs, refreshMs } = this.#options;
    this.#forget(now);
    const holding = this.#holdings.get(ask.client) ?? this.#meet(now, ask);
    if (holding === undefined)
      return { capacity: 0, validMs: leaseMs, refreshMs, safeCapacity: 0, inherited: undefined };
    if (!holding.hear(ask)) return undefined;
    holding.knownUntilMs = now + leaseMs;
    const limit = limitNow();
    if (limit === undefined) return undefined;
    const untilMs = Math.min(now + leaseMs * DRIFT, limit.endsMs);
    const share = this.#share(now, holding, limit);
    const capacity = Math.min(share, this.#free(now, untilMs, holding, limit));
    if (this.#isFresh(now) && limit.isProvisional && capacity < ask.has) return undefined;
    const hadBefore = holding.ownAt(now);
    holding.grant(capacity, untilMs);
    holding.knownUntilMs = untilMs;
    const validMs = elapsedMs(now, untilMs) / DRIFT;
    return {
      capacity,
      validMs,
      refreshMs: this.#refreshMs(now, validMs, { capacity, share, hadBefore }, limit),
      safeCapacity: this.#safeCapacity(holding, limit),
      inherited: this.#isFresh(now) ? undefined : holding.inheritedAt(now),
    };
  }

  /** A client that stops says so: others need not wait for its lease to end. It asks no more. */
  release({ client, life }: CapacityRelease): void {
    const holding = this.#holdings.get(client);
    if (holding?.life === life) holding.release();
  }

  /** There may be leases of an earlier server that nobody has spoken of yet. */
  isLearning(now: number, before: number | undefined): boolean {
    return this.#isFresh(now) && (before === undefined || this.#learned < before * (1 - TRIFLE));
  }

  get clients(): number {
    return this.#holdings.size;
  }

  /** What clients may hold at most, those of an earlier server included as far as they are known of. */
  handedOut(now: number, before: number | undefined): number {
    if (!this.#isFresh(now)) return this.#sum((holding) => holding.grantedAt(now));
    return this.#sum((holding) => holding.heldAt(now)) + this.#unheard(before ?? 0);
  }

  /**
   * What all clients together want, the highest priority first. While nobody knows what is out, no more than it can hand
   * out: the rest would lie idle here.
   */
  bands(now: number, before: number | undefined): CapacityBand[] {
    this.#forget(now);
    const isBlind = this.#isFresh(now) && before === undefined;
    const bands = addBands([...this.#holdings.values()].flatMap((holding) => holding.bands));
    return isBlind ? cutBands(bands, this.#learned) : bands;
  }

  #forget(now: number): void {
    for (const [client, holding] of this.#holdings) {
      holding.forget(now);
      // Whoever was met while learning is not met again: what it has then is no longer of an earlier server.
      if (holding.isOver(now) && !this.#isFresh(now)) this.#holdings.delete(client);
      else if (now >= holding.knownUntilMs) holding.bands = [];
    }
  }

  #meet(now: number, ask: CapacityAsk): CapacityHolding | undefined {
    if (this.#holdings.size >= this.#options.maxClients) return undefined;
    const holding = new CapacityHolding(ask);
    this.#holdings.set(ask.client, holding);
    // Later on whatever it had of a predecessor has ended.
    if (this.#isFresh(now)) {
      holding.learn(ask.has, now + this.#options.leaseMs * DRIFT);
      this.#learned += ask.has;
    }
    return holding;
  }

  /** Leases of an earlier server may be out. */
  #isFresh(now: number): boolean {
    return now < this.#learnsUntilMs;
  }

  #share(now: number, holding: CapacityHolding, { capacity, before }: CapacityLimit): number {
    const { algorithm } = this.#options;
    // Shares among those heard so far would be too large. Each keeps what it has, if there is enough for that.
    if (this.isLearning(now, before) && algorithm !== 'static' && this.#learned <= capacity)
      return wantsOf(holding.bands);
    const holdings = [...this.#holdings.values()];
    const shares = priorityShares(
      algorithm,
      capacity,
      holdings.map(({ bands }) => bands),
    );
    return shares[holdings.indexOf(holding)]!;
  }

  /** What others leave of the limit, all the time until then. They only leave more as time goes on. */
  #free(now: number, untilMs: number, holding: CapacityHolding, { stairs, before }: CapacityLimit): number {
    if (this.#options.algorithm === 'static') return Number.POSITIVE_INFINITY;
    const isFresh = this.#isFresh(now);
    const free = stairs.beginnings(now, untilMs).map((ms) => {
      const limit = stairs.at(ms);
      const granted = limit - this.#sum((other) => other.grantedAt(ms)) + holding.grantedAt(ms);
      if (!isFresh) return granted;
      const most = before === undefined ? this.#learned : Math.max(before, limit) - this.#unheard(before);
      return Math.min(granted, most - this.#sum((other) => other.heldAt(ms)) + holding.heldAt(ms));
    });
    return Math.max(0, Math.min(...free));
  }

  /** What those who were not heard yet may have of what was handed out before. */
  #unheard(before: number): number {
    return Math.max(0, before - this.#learned);
  }

  #sum(heldBy: (holding: CapacityHolding) => number): number {
    let sum = 0;
    for (const holding of this.#holdings.values()) sum += heldBy(holding);
    return sum;
  }

  #refreshMs(now: number, validMs: number, grant: GrantedShare, { before }: CapacityLimit): number {
    const { hurryMs, refreshMs } = this.#options;
    const { capacity, share, hadBefore } = grant;
    // Others wait until it says that it has heard.
    if (capacity < hadBefore * (1 - TRIFLE)) return hurryMs;
    const isLearning = this.isLearning(now, before);
    const isShort = !isLearning && capacity < share * (1 - TRIFLE);
    const soonMs = isLearning ? elapsedMs(now, this.#learnsUntilMs) : isShort ? refreshMs / 4 : refreshMs;
    return Math.max(hurryMs, Math.min(soonMs, refreshMs, validMs / 3));
  }

  #safeCapacity({ bands }: CapacityHolding, { safe }: CapacityLimit): number {
    const own = subclientsOf(bands);
    if ('each' in safe) return own * safe.each;
    return own === 0 ? 0 : safe.together * (own / this.#sum((holding) => subclientsOf(holding.bands)));
  }
}
