import { type AlgorithmName, type RateLimitOptions, rateScale } from '../../core/index.js';
import type { RateRule } from '../rate-store.js';

/** A rule as scripts and keys have it. */
export interface RuleCode {
  readonly rule: RateRule;
  /** The largest cost that can ever pass at once. */
  readonly limit: number;
  /** For scripts, as JSON: a letter and the numbers that its algorithm needs. */
  readonly code: string;
  /** The end of its keys: its name, and all that states depend on. */
  readonly suffix: string;
}

const LETTERS: Readonly<Record<AlgorithmName, string>> = {
  'token-bucket': 't',
  'leaking-bucket': 'l',
  'fixed-window': 'f',
  'sliding-log': 's',
  'sliding-counter': 'c',
  gcra: 'g',
};

export function ruleCode(rule: RateRule): RuleCode {
  const { options } = rule;
  const letter = LETTERS[options.algorithm];
  return { rule, limit: mostOf(options), code: codeOf(letter, options), suffix: suffixOf(letter, rule) };
}

/** The queue of a leaking bucket, which waits apart from what is metered. */
export function queueCode(rule: RateRule): RuleCode {
  const { options } = rule;
  return { rule, limit: mostOf(options), code: scaleCode('q', options), suffix: suffixOf('q', rule) };
}

/** What is leased, which is counted apart from what is taken singly. */
export function leaseCode(rule: RateRule): RuleCode {
  return { ...ruleCode(rule), suffix: `${suffixOf(LETTERS[rule.options.algorithm], rule)}:leased` };
}

function mostOf({ limit, burst = limit }: RateLimitOptions): number {
  return burst;
}

function codeOf(letter: string, options: RateLimitOptions): string {
  const { algorithm, limit, windowMs, countRefused } = options;
  if (algorithm === 'sliding-log') return JSON.stringify([letter, limit, windowMs, countRefused ? 1 : 0]);
  if (algorithm === 'fixed-window' || algorithm === 'sliding-counter') {
    return JSON.stringify([letter, limit, windowMs]);
  }
  return scaleCode(letter, options);
}

function scaleCode(letter: string, options: RateLimitOptions): string {
  const { perMs, unit, burst, capacity } = rateScale(options);
  return JSON.stringify([letter, perMs, unit, burst, capacity]);
}

/** Who changes a limit begins anew: a state made under other numbers would be misread. */
function suffixOf(letter: string, { name, options }: RateRule): string {
  const { limit, windowMs, countRefused } = options;
  // A brace could end the part of the key that is somebody's own, and be taken for somebody else's.
  const safeName = name.replaceAll(/[%{}]/g, encodeURIComponent);
  return `:${safeName}:${letter}${limit}-${windowMs}-${mostOf(options)}${countRefused ? '-r' : ''}`;
}
