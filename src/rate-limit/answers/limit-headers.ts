import type { RateDecision } from '../../core/index.js';
import type { RateRule } from '../../stores/rate-store.js';

/** What a rule said of a request. */
export interface Ruling {
  readonly rule: RateRule;
  /** Whose request it was, as it is counted. */
  readonly key: string;
  readonly decision: RateDecision;
}

/** `RateLimit-Policy`: what the rules are. Windows that are no whole seconds cannot be said there. */
function policyOf({ rule }: Ruling): string {
  const known = policies.get(rule);
  if (known !== undefined) return known;
  const { name, options } = rule;
  const window = options.windowMs % 1_000 === 0 ? `;w=${options.windowMs / 1_000}` : '';
  const policy = `"${name}";q=${options.limit}${window}`;
  policies.set(rule, policy);
  return policy;
}

/** Said with every answer, and always the same. */
const policies = new WeakMap<RateRule, string>();

/** Whole seconds, never too few. */
export function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}

/** `RateLimit`: how it stands. `t` is until one may try again, or until it is as if nobody had come. */
function stateOf({ rule, decision }: Ruling): string {
  const ms = decision.allowed ? decision.resetMs : decision.retryAfterMs;
  return `"${rule.name}";r=${decision.remaining}${Number.isFinite(ms) ? `;t=${seconds(ms)}` : ''}`;
}

/** The one that a client will meet first. */
function tightest(rulings: readonly Ruling[]): Ruling {
  return rulings.reduce((least, each) => {
    const isLess = each.decision.remaining < least.decision.remaining;
    return each.decision.allowed === least.decision.allowed
      ? isLess
        ? each
        : least
      : each.decision.allowed
        ? least
        : each;
  });
}

/**
 * Headers of draft-ietf-httpapi-ratelimit-headers, as a flat list of names and values. After a refusal only those rules are
 * told of that refused: `Retry-After` must not be sooner than any `t`.
 */
export function limitHeaders(rulings: readonly Ruling[], withLegacy: boolean): string[] {
  if (rulings.length === 0) return [];
  // As most have it: no lists for the sake of one.
  if (rulings.length === 1 && !withLegacy)
    return ['RateLimit-Policy', policyOf(rulings[0]!), 'RateLimit', stateOf(rulings[0]!)];
  const refused = rulings.filter(({ decision }) => !decision.allowed);
  const told = refused.length > 0 ? refused : rulings;
  const headers = [
    'RateLimit-Policy',
    rulings.map(policyOf).join(', '),
    'RateLimit',
    told.map(stateOf).join(', '),
  ];
  return withLegacy ? [...headers, ...legacyHeaders(tightest(rulings))] : headers;
}

/** As many had them before there was a draft: the limit, what is left, seconds until it is all there again. */
function legacyHeaders({ decision: { limit, remaining, resetMs } }: Ruling): string[] {
  return [
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(seconds(resetMs)),
  ];
}
