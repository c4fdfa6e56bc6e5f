import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkDistinct, checkOneOf, checkPositive, withDefaults } from '../core/check.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import type { RateStore } from '../stores/rate-store.js';
import { type LimitAnswer, limitAnswer } from './answers/limit-answer.js';
import { limitHeaders, type Ruling } from './answers/limit-headers.js';
import { LIMITER_DEFAULTS } from './limiter-options.js';
import { ADDRESS_DEFAULTS, ClientAddress } from './rules/client-address.js';
import { headerName } from './rules/request-match.js';
import { type RequestView, viewOf } from './rules/request-view.js';
import { type CompiledRule, compileRule, type RuleOptions } from './rules/rule-options.js';
import { StoreCalls } from './store-calls.js';
import { decisionWithoutStore } from './without-store.js';

export interface RateLimitsOptions {
  readonly rules: readonly RuleOptions[];
  readonly store?: RateStore | undefined;
  readonly timeoutMs?: number | undefined;
  readonly trustedProxies?: number | undefined;
  readonly ipv6Prefix?: number | undefined;
  readonly apiKeyHeader?: string | undefined;
  /** `X-RateLimit-*` besides. */
  readonly legacyHeaders?: boolean | undefined;
  /** Told of errors in functions of rules; the request is answered with 500. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const RATE_LIMITS_DEFAULTS = Object.freeze({
  store: undefined,
  timeoutMs: LIMITER_DEFAULTS.timeoutMs,
  ...ADDRESS_DEFAULTS,
  // What most API gateways call it.
  apiKeyHeader: 'x-api-key',
  // Who reads them knows; to others they are bytes.
  legacyHeaders: false,
  onError: (error: unknown): void => console.error(error),
});

/** What rules say of a request together. */
export interface Verdict {
  readonly allowed: boolean;
  /** For the answer of whoever serves it: a flat list of names and values. */
  readonly headers: readonly string[];
  /** What to answer instead when it is not allowed. */
  readonly answer: LimitAnswer | undefined;
  /** Rules that hold for it, those in shadow left out. */
  readonly rulings: readonly Ruling[];
}

export interface RuleCounts {
  allowed: number;
  refused: number;
  /** Decided without the store. */
  undecided: number;
}

const FREE: Verdict = Object.freeze({ allowed: true, headers: [], answer: undefined, rulings: [] });

/** Several rules, decided together: a request passes if all let it, and takes from all or from none. */
export class RateLimits {
  readonly #rules: readonly CompiledRule[];
  readonly #counts: ReadonlyMap<CompiledRule, RuleCounts>;
  readonly #store: RateStore;
  readonly #ownsStore: boolean;
  readonly #calls: StoreCalls;
  readonly #withLegacy: boolean;
  readonly #onError: (error: unknown) => void;

  constructor(options: RateLimitsOptions) {
    const defaults = { rules: [], ...RATE_LIMITS_DEFAULTS } as unknown as Required<RateLimitsOptions>;
    const given = withDefaults('rateLimits', defaults, options as Partial<Required<RateLimitsOptions>>);
    const { trustedProxies, ipv6Prefix } = given as { trustedProxies: number; ipv6Prefix: number };
    if (!Array.isArray(given.rules) || given.rules.length === 0) {
      throw new RangeError('rules must be a list of at least one rule, got none');
    }
    const address = new ClientAddress({ trustedProxies, ipv6Prefix });
    const apiKeyHeader = headerName('apiKeyHeader', given.apiKeyHeader);
    this.#rules = given.rules.map((rule) => compileRule(rule, { address, apiKeyHeader }));
    checkDistinct(
      'names of rules',
      this.#rules.map(({ rate }) => rate.name),
    );
    this.#counts = new Map(this.#rules.map((rule) => [rule, { allowed: 0, refused: 0, undecided: 0 }]));
    this.#ownsStore = given.store === undefined;
    this.#store = given.store ?? new MemoryStore();
    this.#calls = new StoreCalls(this.#store, checkPositive('timeoutMs', given.timeoutMs));
    this.#withLegacy = given.legacyHeaders === true;
    this.#onError = given.onError!;
  }

  /** For frameworks of your own. Rejects only when a function of a rule throws. */
  async decide(request: RequestView): Promise<Verdict> {
    const rules = this.#rules.filter(({ matches }) => matches(request));
    if (rules.length === 0) return FREE;
    const requests = rules.map(({ rate, isShadow, keyOf, costOf }) => {
      return { rule: rate, key: keyOf(request), cost: costOf(request), isShadow };
    });
    const answer = await this.#calls.take(requests);
    const rulings: Ruling[] = [];
    for (const [i, rule] of rules.entries()) {
      const decision = answer?.decisions[i] ?? decisionWithoutStore(rule.rate, rule.onStoreFailure);
      const counts = this.#counts.get(rule)!;
      counts[decision.allowed ? 'allowed' : 'refused']++;
      if (answer === undefined) counts.undecided++;
      if (!rule.isShadow) rulings.push({ rule: rule.rate, decision });
    }
    const allowed = rulings.every(({ decision }) => decision.allowed);
    return allowed
      ? { allowed, headers: limitHeaders(rulings, this.#withLegacy), answer: undefined, rulings }
      : { allowed, headers: [], answer: limitAnswer(rulings, this.#withLegacy), rulings };
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

  /** As if this key had never come, under that rule; parts of a key are joined by `|`. */
  async reset(name: string, key: string): Promise<void> {
    const names = this.#rules.map(({ rate }) => rate.name);
    const rule = this.#rules[names.indexOf(checkOneOf('name', name, names))]!;
    await this.#store.reset(rule.rate, key);
  }

  /** How often each rule said what, since the start. */
  snapshot(): Readonly<Record<string, Readonly<RuleCounts>>> {
    return Object.fromEntries([...this.#counts].map(([{ rate }, counts]) => [rate.name, { ...counts }]));
  }

  /** A store that was given stays open, for it may serve others. */
  async close(): Promise<void> {
    this.#calls.close();
    if (this.#ownsStore) await this.#store.close();
  }
}

export function createRateLimits(options: RateLimitsOptions): RateLimits {
  return new RateLimits(options);
}
