import { checkInteger, checkOneOf, withDefaults } from '../../core/check.js';
import type { RateRule } from '../../stores/rate-store.js';
import {
  checkName,
  LIMIT_REQUIRED,
  type LimitOptions,
  type OnStoreFailure,
  ruleOf,
} from '../limiter-options.js';
import { compileKey, type KeyOf, type KeyPart, type KeySources } from './request-key.js';
import { compileMatch, type Matches, type MatchOptions } from './request-match.js';
import type { RequestView } from './request-view.js';

/** A rule as data: which requests, counted by what, how much of them. */
export interface RuleOptions extends LimitOptions {
  /** In headers, metrics and stores. */
  readonly name: string;
  readonly match?: MatchOptions | undefined;
  readonly key: KeyPart | readonly KeyPart[];
  /** Whole units that one takes, or a function that says how many. */
  readonly cost?: number | ((request: RequestView) => number) | undefined;
  /** `shadow` only counts: to see whom a rule would refuse before it does. */
  readonly onLimit?: 'refuse' | 'shadow' | 'queue' | undefined;
  readonly onStoreFailure?: OnStoreFailure | undefined;
}

export const RULE_DEFAULTS = Object.freeze({
  match: undefined,
  cost: 1,
  onLimit: 'refuse' as const,
  // As of a limiter: to refuse everybody because nobody counts is more harm than most floods.
  onStoreFailure: 'allow' as OnStoreFailure,
});

/** A rule that is known to be right, ready to be asked. */
export interface CompiledRule {
  readonly rate: RateRule;
  readonly isShadow: boolean;
  readonly onStoreFailure: OnStoreFailure;
  readonly matches: Matches;
  readonly keyOf: KeyOf;
  readonly costOf: (request: RequestView) => number;
}

export function compileRule(options: RuleOptions, sources: Omit<KeySources, 'route'>): CompiledRule {
  const name = checkName('name of a rule', options?.name);
  try {
    return compile(name, options, sources);
  } catch (error) {
    // Of many rules in a file, this is the one to look at.
    if (error instanceof RangeError) throw new RangeError(`rule ${name}: ${error.message}`);
    throw error;
  }
}

function compile(name: string, options: RuleOptions, sources: Omit<KeySources, 'route'>): CompiledRule {
  const defaults = { name, key: undefined, ...LIMIT_REQUIRED, ...RULE_DEFAULTS } as unknown as RuleOptions;
  const given = withDefaults('it', defaults, options);
  const onLimit = checkOneOf('onLimit', given.onLimit, ['refuse', 'shadow', 'queue']);
  if (onLimit === 'queue') {
    throw new RangeError(
      'onLimit must be refuse or shadow: queue needs Redis, where what waits survives this process',
    );
  }
  if (given.key === undefined)
    throw new RangeError('key must say whose requests are counted together, got undefined');
  return {
    rate: ruleOf(name, given),
    isShadow: onLimit === 'shadow',
    onStoreFailure: checkOneOf('onStoreFailure', given.onStoreFailure, ['allow', 'refuse']),
    matches: compileMatch('match', given.match),
    keyOf: compileKey('key', given.key, { ...sources, route: given.match?.path ?? name }),
    costOf: compileCost(given.cost),
  };
}

function compileCost(cost: RuleOptions['cost']): (request: RequestView) => number {
  if (typeof cost === 'function') return (request) => checkInteger('cost', cost(request), 0);
  const fixed = checkInteger('cost', cost, 0);
  return () => fixed;
}
