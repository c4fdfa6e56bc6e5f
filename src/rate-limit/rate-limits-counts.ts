import type { RateDecision } from '../core/index.js';
import type { RuleTotals } from './observing/source-sum.js';
import type { CompiledRule } from './rules/rule-options.js';

export interface RuleCounts {
  allowed: number;
  refused: number;
  /** Answered with 202, and kept until their turn. */
  queued: number;
  /** Decided without the store. */
  undecided: number;
}

/** How often each rule said what. */
export class RateLimitsCounts {
  readonly #counts: ReadonlyMap<CompiledRule, RuleCounts>;

  constructor(rules: readonly CompiledRule[]) {
    this.#counts = new Map(rules.map((rule) => [rule, { allowed: 0, refused: 0, queued: 0, undecided: 0 }]));
  }

  add(rule: CompiledRule, what: keyof RuleCounts): void {
    this.#counts.get(rule)![what]++;
  }

  addAll(rules: readonly CompiledRule[], decisions: readonly RateDecision[]): void {
    for (const [i, rule] of rules.entries()) this.add(rule, decisions[i]!.allowed ? 'allowed' : 'refused');
  }

  /** Of those only that refused, in shadow: what the others allowed has been given back, as if they had not been asked. */
  addRefused(rules: readonly CompiledRule[], decisions: readonly RateDecision[]): void {
    for (const [i, rule] of rules.entries()) if (!decisions[i]!.allowed) this.add(rule, 'refused');
  }

  snapshot(): Readonly<Record<string, Readonly<RuleCounts>>> {
    return Object.fromEntries([...this.#counts].map(([{ rate }, counts]) => [rate.name, { ...counts }]));
  }

  totals(): RuleTotals[] {
    return [...this.#counts].map(([rule, counts]) => totalsOf(rule, counts));
  }
}

function totalsOf({ rate, isShadow, isQueued }: CompiledRule, counts: RuleCounts): RuleTotals {
  const { allowed, refused, queued, undecided } = counts;
  const [enforced, shadow] = isShadow ? [0, refused] : [refused, 0];
  const totals = { rule: rate.name, allowed, refused: enforced, shadowRefused: shadow, undecided };
  return isQueued ? { ...totals, queued } : totals;
}
