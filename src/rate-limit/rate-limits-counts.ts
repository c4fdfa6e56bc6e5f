import type { HeavyHitter, RateDecision } from '../core/index.js';
import type { RateRequest } from '../stores/rate-store.js';
import { BusyKeys } from './observing/busy-keys.js';
import type { RuleTotals } from './observing/source-sum.js';
import type { CompiledRule } from './rules/rule-options.js';

/** What a rule has decided since the start. */
export interface RuleCounts {
  allowed: number;
  refused: number;
  /** Answered with 202, and kept until their turn. */
  queued: number;
  /** Decided without the store. */
  undecided: number;
}

/** What a rule has said, and whom it has said it to most. */
export interface RuleSnapshot extends Readonly<RuleCounts> {
  /** Of the last minute, busiest first: at most ten. */
  readonly busiest: readonly HeavyHitter[];
}

interface Counted {
  readonly counts: RuleCounts;
  readonly keys: BusyKeys;
}

/** How often each rule said what. */
export class RateLimitsCounts {
  readonly #counted: ReadonlyMap<CompiledRule, Counted>;

  constructor(rules: readonly CompiledRule[]) {
    this.#counted = new Map(
      rules.map((rule) => [
        rule,
        { counts: { allowed: 0, refused: 0, queued: 0, undecided: 0 }, keys: new BusyKeys() },
      ]),
    );
  }

  add(rule: CompiledRule, key: string, what: 'allowed' | 'refused' | 'queued'): void {
    const { counts, keys } = this.#counted.get(rule)!;
    counts[what]++;
    keys.add(key, what === 'refused');
  }

  /** Of what is decided, that it was without the store. */
  addUndecided(rule: CompiledRule): void {
    this.#counted.get(rule)!.counts.undecided++;
  }

  addAll(
    rules: readonly CompiledRule[],
    requests: readonly RateRequest[],
    decisions: readonly RateDecision[],
  ): void {
    for (let i = 0; i < rules.length; i++)
      this.add(rules[i]!, requests[i]!.key, decisions[i]!.allowed ? 'allowed' : 'refused');
  }

  /** Of those only that refused, in shadow: what the others allowed has been given back, as if they had not been asked. */
  addRefused(
    rules: readonly CompiledRule[],
    requests: readonly RateRequest[],
    decisions: readonly RateDecision[],
  ): void {
    for (const [i, rule] of rules.entries())
      if (!decisions[i]!.allowed) this.add(rule, requests[i]!.key, 'refused');
  }

  snapshot(): Readonly<Record<string, RuleSnapshot>> {
    return Object.fromEntries(
      Array.from(this.#counted, ([{ rate }, { counts, keys }]) => [
        rate.name,
        { ...counts, busiest: keys.top() },
      ]),
    );
  }

  totals(): RuleTotals[] {
    return Array.from(this.#counted, ([rule, { counts }]) => totalsOf(rule, counts));
  }
}

function totalsOf({ rate, isShadow, isQueued }: CompiledRule, counts: RuleCounts): RuleTotals {
  const { allowed, refused, queued, undecided } = counts;
  const [enforced, shadow] = isShadow ? [0, refused] : [refused, 0];
  const totals = { rule: rate.name, allowed, refused: enforced, shadowRefused: shadow, undecided };
  return isQueued ? { ...totals, queued } : totals;
}
