import { type Environment, elapsedMs, type RateDecision } from '../core/index.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import type { RateRequest, RateRule, ScheduleAnswer, Settlement, TakeAnswer } from '../stores/rate-store.js';
import { decisionWithoutStore, type Fallback, RETRY_MS } from './fallback.js';

/** A request that the store has not decided. */
export interface Undecided extends RateRequest {
  readonly fallback: Fallback;
}

/** Some 12 MB that are there only in an outage; beyond, keys that are not at their limit are forgotten first. */
const MOST_KEYS = 100_000;

/**
 * How long the store must have answered until this process forgets what it counted itself: as long as the longest window,
 * by when it has all expired, and this at most. Sooner, a store that comes and goes would give a new share each time.
 */
const MOST_KEPT_MS = 3_600_000;

/** Decides what the store does not: by a share of the limit in this process where there is one, or as the rule says. */
export class WithoutStore {
  readonly #environment: Environment | undefined;
  #local: MemoryStore | undefined = undefined;
  #keepMs = 0;
  #failedMs = 0;
  #isClosed = false;

  /** Time and chance, for tests. */
  constructor(environment?: Environment) {
    this.#environment = environment;
  }

  take({ fallback, ...request }: Undecided): TakeAnswer {
    const { rule, cost, isShadow } = request;
    const { choice, local } = fallback;
    const store = this.#storeFor(local);
    if (local === undefined || store === undefined) {
      const decision = decisionWithoutStore(rule, choice);
      return { allowed: isShadow === true || decision.allowed, decisions: [decision], takenAtMs: 0 };
    }
    const answer = store.takeNow([{ ...request, rule: local }]);
    return { ...answer, decisions: [hopeful(answer.decisions[0]!, rule, cost)] };
  }

  /** Several together: those with a share take all or none, and none if another rule refuses. */
  async takeAll(asked: readonly Undecided[]): Promise<readonly RateDecision[]> {
    if (asked.length === 1) return this.take(asked[0]!).decisions;
    const shared = asked.filter(({ fallback }) => this.#storeFor(fallback.local) !== undefined);
    const fixed = asked.filter((each) => !shared.includes(each));
    const isRefused = fixed.some(({ isShadow, fallback }) => !isShadow && fallback.choice === 'refuse');
    const requests = shared.map(({ fallback, ...request }) => ({ ...request, rule: fallback.local! }));
    const decisions = isRefused
      ? await this.#local?.peek(requests)
      : requests.length > 0
        ? this.#local?.takeNow(requests).decisions
        : undefined;
    return asked.map((each) => {
      const decision = decisions?.[shared.indexOf(each)];
      if (decision !== undefined) return hopeful(decision, each.rule, each.cost);
      return decisionWithoutStore(each.rule, each.fallback.choice);
    });
  }

  async peek({ fallback, ...request }: Undecided): Promise<RateDecision> {
    const { choice, local } = fallback;
    const found =
      local === undefined ? undefined : await this.#storeFor(local)?.peek([{ ...request, rule: local }]);
    return found === undefined
      ? decisionWithoutStore(request.rule, choice)
      : hopeful(found[0]!, request.rule, request.cost);
  }

  /** Undefined when there is no share. */
  async schedule({ fallback: { local }, ...request }: Undecided): Promise<ScheduleAnswer | undefined> {
    return local === undefined ? undefined : this.#storeFor(local)?.schedule({ ...request, rule: local });
  }

  /** Of what `take` gave. Forgotten since: there is nothing to settle. */
  async settle(settlement: Settlement, { local }: Fallback): Promise<void> {
    if (local !== undefined) await this.#local?.settle([{ ...settlement, rule: local }]);
  }

  async reset({ local }: Fallback, key: string): Promise<void> {
    if (local !== undefined) await this.#local?.reset(local, key);
  }

  /** The store has decided again. */
  onAnswered(): void {
    if (this.#local === undefined || elapsedMs(this.#failedMs, this.#now()) < this.#keepMs) return;
    this.#forget();
  }

  close(): void {
    this.#isClosed = true;
    this.#forget();
  }

  #forget(): void {
    // In memory this cannot fail.
    void this.#local?.close();
    this.#local = undefined;
  }

  #storeFor(local: RateRule | undefined): MemoryStore | undefined {
    if (local === undefined || this.#isClosed) return undefined;
    this.#failedMs = this.#now();
    this.#keepMs = Math.min(MOST_KEPT_MS, Math.max(this.#keepMs, local.options.windowMs));
    this.#local ??= new MemoryStore({ maxKeys: MOST_KEYS, environment: this.#environment });
    return this.#local;
  }

  #now(): number {
    return this.#environment?.monotonicMs() ?? performance.now();
  }
}

/** What costs more than the share never passes here, but may when the store is back. */
function hopeful(decision: RateDecision, { options }: RateRule, cost: number): RateDecision {
  const isPossible = cost <= (options.burst ?? options.limit);
  return isPossible && decision.retryAfterMs === Number.POSITIVE_INFINITY
    ? { ...decision, retryAfterMs: RETRY_MS }
    : decision;
}
