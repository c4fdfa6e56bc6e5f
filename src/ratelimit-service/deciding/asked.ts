import type { Descriptor, LimitRequest } from '../messages/limit-request.js';
import { type CompiledLimit, overridingLimit } from '../rules/compiled-limit.js';
import { boundedKey, keyPart, keyPrefix } from '../rules/count-key.js';
import { limitOptionsOf, type RateRules } from '../rules/limit-options.js';
import type { Match, RuleTree } from '../rules/rule-tree.js';
import { unitNumbered } from '../rules/units.js';

/** What one descriptor asks of a limit. */
export interface Asked extends Match {
  readonly hits: number;
  readonly isNegative: boolean;
}

/** A call that cannot be answered, because of what it says. */
export class RequestError extends RangeError {}

/** What each descriptor asks; undefined for those that no limit is for, and those whose limit another one replaces. */
export function askedOf(
  request: LimitRequest,
  tree: RuleTree | undefined,
  rules: RateRules,
): readonly (Asked | undefined)[] {
  if (request.domain === '') throw new RequestError('rate limit domain must not be empty');
  if (request.descriptors.length === 0)
    throw new RequestError('rate limit descriptor list must not be empty');
  // Whom nobody has a rule for may pass: proxies ask for more than there are files.
  if (tree === undefined) return request.descriptors.map(() => undefined);
  const hits = Math.max(1, request.hitsAddend);
  const asked = request.descriptors.map((descriptor): Asked | undefined => {
    const match =
      descriptor.override === undefined
        ? tree.match(descriptor.entries)
        : overrideOf(descriptor, request.domain, rules);
    if (match === undefined) return undefined;
    const { limit, key, label } = match;
    return { limit, key, label, hits: descriptor.hits ?? hits, isNegative: descriptor.isNegative };
  });
  return asked.length === 1 ? asked : withoutReplaced(asked);
}

function withoutReplaced(asked: readonly (Asked | undefined)[]): readonly (Asked | undefined)[] {
  const replaced = asked.flatMap((each) => each?.limit.replaces ?? []);
  if (replaced.length === 0) return asked;
  const isReplaced = ({ name, isUnlimited }: CompiledLimit) =>
    name !== '' && !isUnlimited && replaced.includes(name);
  return asked.map((each) => (each !== undefined && isReplaced(each.limit) ? undefined : each));
}

function overrideOf({ override, entries }: Descriptor, domain: string, rules: RateRules): Match {
  const { requestsPerUnit, unit: number } = override!;
  const unit = unitNumbered(number);
  if (unit === undefined) throw new RequestError(`unit of a limit must be known, got ${number}`);
  if (requestsPerUnit > 2 ** 32 - 1) throw new RequestError('requests_per_unit must have 32 bits');
  const options = limitOptionsOf(requestsPerUnit, unit);
  const rate = options && rules.override(options);
  if (options !== undefined && rate === undefined)
    throw new RequestError('there are too many different limits that callers have brought along');
  // One for all: names of statistics must not be what callers like to say.
  const label = `${domain}.(override)`;
  const parts = entries.map((entry) => keyPart(entry.key, entry.value)).join('');
  const key = boundedKey(keyPrefix(domain) + parts);
  return { limit: overridingLimit(requestsPerUnit, unit, label, rate), key, label };
}
