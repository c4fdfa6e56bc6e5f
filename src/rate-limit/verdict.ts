import type { RateDecision } from '../core/index.js';
import type { RateRequest } from '../stores/rate-store.js';
import { type LimitAnswer, limitAnswer } from './answers/limit-answer.js';
import { limitHeaders, type Ruling } from './answers/limit-headers.js';
import type { CompiledRule } from './rules/rule-options.js';

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

/** Of requests that no rule is for. */
export const FREE: Verdict = Object.freeze({ allowed: true, headers: [], answer: undefined, rulings: [] });

/** Not served, but answered. */
export function instead(answer: LimitAnswer): Verdict {
  return { allowed: false, headers: [], answer, rulings: [] };
}

/** What each of some rules has decided, as one: who is over any of them is refused, and told of those. */
export function verdictOf(
  rules: readonly CompiledRule[],
  requests: readonly RateRequest[],
  decisions: readonly RateDecision[],
  withLegacy: boolean,
): Verdict {
  const rulings: Ruling[] = [];
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i]!;
    if (!rule.isShadow) rulings.push({ rule: rule.rate, key: requests[i]!.key, decision: decisions[i]! });
  }
  return verdictOn(rulings, withLegacy);
}

/** The same of one rule. */
export function verdictOfOne(
  { rate: rule, isShadow }: CompiledRule,
  key: string,
  decision: RateDecision,
  withLegacy: boolean,
): Verdict {
  return verdictOn(isShadow ? [] : [{ rule, key, decision }], withLegacy);
}

function verdictOn(rulings: readonly Ruling[], withLegacy: boolean): Verdict {
  const allowed = rulings.every(({ decision }) => decision.allowed);
  return allowed
    ? { allowed, headers: limitHeaders(rulings, withLegacy), answer: undefined, rulings }
    : { allowed, headers: [], answer: limitAnswer(rulings, withLegacy), rulings };
}
