import { checkInteger, checkOneOf, withDefaults } from '../../core/check.js';
import type { RateRequest, RateRule } from '../../stores/rate-store.js';
import { FAILURE_DEFAULTS, type FailureOptions, type Fallback, fallbackOf } from '../fallback.js';
import { checkName, LIMIT_REQUIRED, type LimitOptions, ruleOf } from '../limiter-options.js';
import { compileKey, type KeyOf, type KeyPart, type KeySources } from './request-key.js';
import { compileMatch, type Matches, type MatchOptions } from './request-match.js';
import type { RequestView } from './request-view.js';

/** A rule as data: which requests, counted by what, how much of them. */
export interface RuleOptions extends LimitOptions, FailureOptions {
  /** In headers, metrics and stores. */
  readonly name: string;
  /** Which requests; all by default. */
  readonly match?: MatchOptions | undefined;
  /** Whose requests are counted together; several parts are one key. */
  readonly key: KeyPart | readonly KeyPart[];
  /** Whole units that one takes, or a function that says how many. */
  readonly cost?: number | ((request: RequestView) => number) | undefined;
  /**
   * `shadow` only counts: to see whom a rule would refuse before it does. `queue` keeps a request in Redis until its turn;
   * for the leaking bucket, of which `burst` may wait.
   */
  readonly onLimit?: 'refuse' | 'shadow' | 'queue' | undefined;
}

export const RULE_DEFAULTS = Object.freeze({
  match: undefined,
  cost: 1,
  onLimit: 'refuse' as const,
  ...FAILURE_DEFAULTS,
});

/** A rule that is known to be right, ready to be asked. */
export interface CompiledRule {
  readonly rate: RateRule;
  readonly isShadow: boolean;
  /** Its requests get a turn, and wait for it. */
  readonly isQueued: boolean;
  readonly fallback: Fallback;
  readonly matches: Matches;
  readonly keyOf: KeyOf;
  readonly costOf: (request: RequestView) => number;
}

export interface RuleSources extends Omit<KeySources, 'route'> {
  /** Whether there is a queue, and a store that all processes share. */
  readonly canQueue: boolean;
}

export function compileRule(options: RuleOptions, sources: RuleSources): CompiledRule {
  const name = checkName('name of a rule', options?.name);
  try {
    return compile(name, options, sources);
  } catch (error) {
    // Of many rules in a file, this is the one to look at.
    if (error instanceof RangeError) throw new RangeError(`rule ${name}: ${error.message}`);
    throw error;
  }
}

function compile(name: string, options: RuleOptions, sources: RuleSources): CompiledRule {
  const defaults = { name, key: undefined, ...LIMIT_REQUIRED, ...RULE_DEFAULTS } as unknown as RuleOptions;
  const given = withDefaults('it', defaults, options);
  const onLimit = checkOneOf('onLimit', given.onLimit, ['refuse', 'shadow', 'queue']);
  if (onLimit === 'queue') checkQueued(given, sources);
  if (given.key === undefined)
    throw new RangeError('key must say whose requests are counted together, got undefined');
  const rate = ruleOf(name, given);
  return {
    rate,
    isShadow: onLimit === 'shadow',
    isQueued: onLimit === 'queue',
    fallback: fallbackOf(rate, given),
    matches: compileMatch('match', given.match),
    keyOf: compileKey('key', given.key, { ...sources, route: given.match?.path ?? name }),
    costOf: compileCost(given.cost),
  };
}

function checkQueued({ algorithm }: RuleOptions, { canQueue }: RuleSources): void {
  if (!canQueue) {
    throw new RangeError(
      'onLimit must be refuse or shadow: queue needs Redis, where what waits survives this process. ' +
        'Give store: await redisStore(…) and queue: await createOverflowQueue(…)',
    );
  }
  if (algorithm !== 'leaking-bucket') {
    throw new RangeError(`algorithm must be leaking-bucket with onLimit queue, got ${algorithm}`);
  }
}

function compileCost(cost: RuleOptions['cost']): (request: RequestView) => number {
  if (typeof cost === 'function') return (request) => checkInteger('cost', cost(request), 0);
  const fixed = checkInteger('cost', cost, 0);
  return () => fixed;
}

/** What rules ask a store about a request, by the keys that it is counted under. */
export function requestsOf(
  rules: readonly CompiledRule[],
  keys: readonly unknown[],
  request: RequestView,
): RateRequest[] {
  return rules.map(({ rate, isShadow, costOf }, i) => {
    return { rule: rate, key: keys[i] as string, cost: costOf(request), isShadow };
  });
}
