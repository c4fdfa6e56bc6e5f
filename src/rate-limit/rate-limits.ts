import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkOneOf } from '../core/check.js';
import type { RateDecision } from '../core/index.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import type { RateRequest, RateStore, TakeAnswer } from '../stores/rate-store.js';
import type { JwtClaims } from './jwt/jwt-claims.js';
import { isThenable, type MaybePromise } from './maybe-promise.js';
import { observeSource } from './observing/metrics.js';
import type { MetricSource } from './observing/source-sum.js';
import { incomingOf, QueueTurns, type Turn } from './queueing/queue-turns.js';
import { RateLimitsCounts, type RuleSnapshot } from './rate-limits-counts.js';
import { checkRateLimitsOptions, type RateLimitsOptions } from './rate-limits-options.js';
import { type RequestView, viewOf } from './rules/request-view.js';
import { type CompiledRule, requestsOf } from './rules/rule-options.js';
import { StoreCalls } from './store-calls.js';
import { FREE, instead, type Verdict, verdictOf, verdictOfOne } from './verdict.js';
import { WithoutStore } from './without-store.js';

export type { RuleCounts, RuleSnapshot } from './rate-limits-counts.js';
export type { Verdict } from './verdict.js';

/** Several rules, decided together: a request passes if all let it, and takes from all or from none. */
export class RateLimits {
  readonly #rules: readonly CompiledRule[];
  readonly #counts: RateLimitsCounts;
  readonly #store: RateStore;
  readonly #ownsStore: boolean;
  readonly #calls: StoreCalls;
  readonly #without = new WithoutStore();
  readonly #jwt: JwtClaims | undefined;
  readonly #turns: QueueTurns | undefined;
  /** For whoever has a meter of its own. */
  readonly metricSource: MetricSource;
  readonly #stopMetrics: () => void;
  readonly #withLegacy: boolean;
  readonly #onError: (error: unknown) => void;

  constructor(options: RateLimitsOptions) {
    const given = checkRateLimitsOptions(options);
    this.#rules = given.rules;
    this.#jwt = given.jwt;
    this.#counts = new RateLimitsCounts(this.#rules);
    this.#ownsStore = given.store === undefined;
    this.#store = given.store ?? new MemoryStore();
    this.#calls = new StoreCalls(this.#store, given.timeoutMs);
    const { secretHeaders } = given;
    const parts = { secretHeaders, store: this.#store, calls: this.#calls, without: this.#without };
    this.#turns = given.queue && new QueueTurns({ ...parts, queue: given.queue }, this.#rules);
    this.#withLegacy = given.legacyHeaders;
    this.#onError = given.onError;
    this.metricSource = { ruleTotals: () => this.#counts.totals(), storeTotals: () => this.#calls };
    this.#stopMetrics = observeSource(this.metricSource);
  }

  /**
   * For frameworks of your own. Rejects only when a function of a rule throws, or something is missing: a package, or
   * `incoming` for a rule that queues.
   */
  async decide(request: RequestView): Promise<Verdict> {
    if (this.#turns !== undefined) {
      const page = await this.#turns.answerStatus(request);
      if (page !== undefined) return instead(page);
    }
    const rules = this.#rulesFor(request);
    if (!rules.some(({ isQueued }) => isQueued)) return await this.#decideAll(rules, request);
    incomingOf(request);
    const keys = await Promise.all(rules.map(({ keyOf }) => keyOf(request)));
    return await this.#decideWithTurns(rules, requestsOf(rules, keys, request), request);
  }

  /** The same, at once where there is nothing to wait for: promises cost more than a decision in memory. */
  decideNow(request: RequestView): MaybePromise<Verdict> {
    return this.#turns === undefined
      ? this.#decideAll(this.#rulesFor(request), request)
      : this.decide(request);
  }

  /** False: the request has been answered. True: it may be served, and `res` has its headers. Never rejects. */
  async check(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const verdict = await this.judge(viewOf(req));
    if (res.headersSent || res.destroyed) return false;
    if (verdict === undefined) {
      res.writeHead(500, ['content-length', '0']).end();
      return false;
    }
    for (let i = 0; i < verdict.headers.length; i += 2)
      res.setHeader(verdict.headers[i]!, verdict.headers[i + 1]!);
    if (verdict.answer === undefined) return true;
    const { status, headers, body } = verdict.answer;
    for (let i = 0; i < headers.length; i += 2) res.setHeader(headers[i]!, headers[i + 1]!);
    res.writeHead(status).end(req.method === 'HEAD' ? undefined : body);
    return false;
  }

  /** As `decide`, but an error is told to `onError`, and undefined. */
  async judge(request: RequestView): Promise<Verdict | undefined> {
    try {
      return await this.decide(request);
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  /** A handler for `node:http` that is called for what may be served. */
  wrap(
    handler: (req: IncomingMessage, res: ServerResponse) => unknown,
  ): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
    return async (req, res) => {
      if (await this.check(req, res)) await handler(req, res);
    };
  }

  /**
   * Under which key a rule counts such a request, for `reset`. What the key does not need may be left out:
   * `keyOf('posts', { header: () => apiKey })`.
   */
  async keyOf(name: string, request: Partial<RequestView>): Promise<string> {
    const { keyOf } = this.#ruleOf(name);
    return keyOf({ method: 'GET', url: '/', address: undefined, header: () => undefined, ...request });
  }

  /** As if this key had never come, under that rule; parts of a key are joined by `|`. */
  async reset(name: string, key: string): Promise<void> {
    const { rate, fallback } = this.#ruleOf(name);
    await this.#without.reset(fallback, key);
    await this.#store.reset(rate, key);
  }

  /** What the next request with this key would be told; nothing is taken for it. With a cost of 0: how the key stands now. */
  async peek(name: string, key: string, cost = 1): Promise<RateDecision> {
    const [decision] = await this.#store.peek([{ rule: this.#ruleOf(name).rate, key, cost }]);
    return decision!;
  }

  /** How often each rule said what, since the start, and to whom most. */
  snapshot(): Readonly<Record<string, RuleSnapshot>> {
    return this.#counts.snapshot();
  }

  /** A store that was given stays open, for it may serve others. */
  async close(): Promise<void> {
    this.#calls.close();
    this.#without.close();
    this.#jwt?.close();
    this.#stopMetrics();
    if (this.#ownsStore) await this.#store.close();
  }

  #counted(
    rules: readonly CompiledRule[],
    requests: readonly RateRequest[],
    decisions: readonly RateDecision[],
  ): Verdict {
    this.#counts.addAll(rules, requests, decisions);
    return verdictOf(rules, requests, decisions, this.#withLegacy);
  }

  /** First those that refuse, then those that queue: a turn cannot be given back. */
  async #decideWithTurns(
    rules: readonly CompiledRule[],
    requests: readonly RateRequest[],
    view: RequestView,
  ): Promise<Verdict> {
    const isCounted = rules.map(({ isQueued }) => !isQueued);
    const counted = requests.filter((_, i) => isCounted[i]);
    const refusing = rules.filter((_, i) => isCounted[i]);
    const { decisions, takenAtMs } =
      counted.length > 0 ? await this.#decide(refusing, counted) : { decisions: [], takenAtMs: undefined };
    const verdict = verdictOf(refusing, counted, decisions, this.#withLegacy);
    if (!verdict.allowed) {
      this.#counts.addAll(refusing, counted, decisions);
      return verdict;
    }
    const turns: Turn[] = [];
    for (const [i, rule] of rules.entries()) {
      if (isCounted[i]) continue;
      const turn = await this.#turns!.turnOf(rule, requests[i]!, view);
      if (turn.isUndecided) this.#counts.addUndecided(rule);
      if (!turn.decision.allowed) {
        await this.#giveBack(counted, decisions, takenAtMs);
        this.#counts.addRefused(refusing, counted, decisions);
        return this.#counted([rule], [turn.request], [turn.decision]);
      }
      turns.push(turn);
    }
    this.#counts.addAll(refusing, counted, decisions);
    return await this.#await(turns, view, verdict);
  }

  /** Until the latest of its turns. */
  async #await(turns: readonly Turn[], view: RequestView, verdict: Verdict): Promise<Verdict> {
    const later = turns.filter((turn) => turn.later !== undefined);
    for (const { rule, request, later: isLater } of turns)
      if (isLater === undefined) this.#counts.add(rule, request.key, 'allowed');
    if (later.length === 0) return verdict;
    const last = later.reduce((a, b) => (b.later!.dueMs > a.later!.dueMs ? b : a));
    const answer = await this.#turns!.enqueue(last, view);
    for (const { rule, request } of later)
      this.#counts.add(rule, request.key, answer.status === 202 ? 'queued' : 'refused');
    return instead(answer);
  }

  async #giveBack(
    requests: readonly RateRequest[],
    decisions: readonly RateDecision[],
    takenAtMs: number | undefined,
  ): Promise<void> {
    if (takenAtMs === undefined) return;
    const taken = requests.filter((_, i) => decisions[i]!.allowed);
    const settlements = taken.map(({ rule, key, cost }) => ({
      rule,
      key,
      reserved: cost,
      actual: 0,
      takenAtMs,
    }));
    await this.#calls.call(() => this.#store.settle(settlements));
  }

  /** Keys are mostly there at once: then the store is asked at once, and some stores answer so. */
  #decideAll(rules: readonly CompiledRule[], request: RequestView): MaybePromise<Verdict> {
    if (rules.length === 0) return FREE;
    const keys = rules.map(({ keyOf }) => keyOf(request));
    if (keys.some(isThenable))
      return Promise.all(keys).then((known) => this.#decideLater(rules, requestsOf(rules, known, request)));
    const only = rules.length === 1 ? this.#decideOnly(rules[0]!, keys[0] as string, request) : undefined;
    if (only !== undefined) return only;
    const requests = requestsOf(rules, keys, request);
    const answer = this.#calls.takeNow(requests);
    if (answer === undefined || answer.undecided !== undefined)
      return this.#decideLater(rules, requests, answer);
    this.#without.onAnswered();
    return this.#counted(rules, requests, answer.decisions);
  }

  /** As most have it: one rule, and a store that answers at once. Undefined: it does not. */
  #decideOnly(rule: CompiledRule, key: string, request: RequestView): Verdict | undefined {
    const decision = this.#calls.takeOneNow(rule.rate, key, rule.costOf(request));
    if (decision === undefined) return undefined;
    this.#without.onAnswered();
    this.#counts.add(rule, key, decision.allowed ? 'allowed' : 'refused');
    return verdictOfOne(rule, key, decision, this.#withLegacy);
  }

  async #decideLater(
    rules: readonly CompiledRule[],
    requests: readonly RateRequest[],
    taken?: TakeAnswer,
  ): Promise<Verdict> {
    return this.#counted(rules, requests, (await this.#decide(rules, requests, taken)).decisions);
  }

  /** By the store, or without it as far as it does not answer. */
  async #decide(
    rules: readonly CompiledRule[],
    requests: readonly RateRequest[],
    taken?: TakeAnswer,
  ): Promise<Decided> {
    const answer = taken ?? (await this.#calls.take(requests));
    if (answer !== undefined && answer.undecided === undefined) {
      this.#without.onAnswered();
      return answer;
    }
    const places = answer?.undecided ?? rules.map((_, place) => place);
    for (const place of places) this.#counts.addUndecided(rules[place]!);
    const undecided = places.map((place) => ({ ...requests[place]!, fallback: rules[place]!.fallback }));
    // Nothing more is taken for a request that is refused already.
    const local = answer?.allowed === false ? undefined : await this.#without.takeAll(undecided);
    if (answer === undefined) return { decisions: local!, takenAtMs: undefined };
    const decisions = [...answer.decisions];
    for (const [i, place] of places.entries()) if (local !== undefined) decisions[place] = local[i]!;
    const isRefused = local?.some(({ allowed }, i) => !allowed && !rules[places[i]!]!.isShadow) ?? false;
    const decided = requests.filter((_, place) => !places.includes(place));
    const said = answer.decisions.filter((_, place) => !places.includes(place));
    if (isRefused) await this.#giveBack(decided, said, answer.takenAtMs);
    return { decisions, takenAtMs: answer.takenAtMs };
  }

  #rulesFor(request: RequestView): readonly CompiledRule[] {
    const rules = this.#rules;
    if (rules.length === 1 && rules[0]!.matches(request)) return rules;
    return rules.filter(({ matches }) => matches(request));
  }

  #ruleOf(name: string): CompiledRule {
    const names = this.#rules.map(({ rate }) => rate.name);
    return this.#rules[names.indexOf(checkOneOf('name', name, names))]!;
  }
}

type Decided = { readonly decisions: readonly RateDecision[]; readonly takenAtMs: number | undefined };

/** Rules for a server, all of which are decided together: a request takes from all that match, or from none. */
export function createRateLimits(options: RateLimitsOptions): RateLimits {
  return new RateLimits(options);
}
