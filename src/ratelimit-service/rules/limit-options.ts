import type { RateLimitOptions } from '../../core/index.js';
import { createRateRule, type RateRule } from '../../stores/rate-store.js';
import type { LimitExtension } from './rules-schema.js';
import type { Unit } from './units.js';

/** What is counted for a limit; undefined for 0, which nothing needs to be counted for. A RangeError for what cannot be. */
export function limitOptionsOf(
  requestsPerUnit: number,
  unit: Unit,
  extension: LimitExtension = {},
): RateLimitOptions | undefined {
  // Envoy's: windows that begin with the unit.
  const { algorithm = 'fixed-window', window = unit.ms, burst } = extension;
  const isLog = algorithm === 'sliding-log';
  if (extension.count_refused === true && !isLog && algorithm !== 'fixed-window')
    throw new RangeError(`count_refused must be left out with ${algorithm}, which cannot`);
  if (requestsPerUnit === 0) return undefined;
  const countRefused = isLog && extension.count_refused === true;
  const options = { algorithm, limit: requestsPerUnit, windowMs: window, burst, countRefused };
  createRateRule('checked', options);
  return options;
}

/**
 * One rule of the store for all limits that count alike: descriptors are in the keys. A store keeps rules for good, so those
 * that callers bring along are bounded.
 */
export class RateRules {
  readonly #rules = new Map<string, RateRule>();
  #overrides = 0;

  of(options: RateLimitOptions): RateRule {
    const name = nameOf(options);
    let rule = this.#rules.get(name);
    if (rule === undefined) {
      rule = createRateRule(name, options);
      this.#rules.set(name, rule);
    }
    return rule;
  }

  /** The same for what a caller asks for; undefined when there are too many already. */
  override(options: RateLimitOptions): RateRule | undefined {
    if (!this.#rules.has(nameOf(options)) && ++this.#overrides > MOST_OVERRIDES) return undefined;
    return this.of(options);
  }
}

/** Proxies bring along what their own files say: a few. Each is a table of the store. */
const MOST_OVERRIDES = 1_000;

function nameOf({ algorithm, limit, windowMs, burst, countRefused }: RateLimitOptions): string {
  const refused = countRefused === true ? ':refused' : '';
  return `${algorithm}:${limit}/${windowMs}:${burst ?? limit}${refused}`;
}
