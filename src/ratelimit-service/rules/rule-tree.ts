import type { Entry } from '../messages/limit-request.js';
import { type CompiledLimit, compileLimit } from './compiled-limit.js';
import { boundedKey, keyPart, keyPrefix } from './count-key.js';
import type { RateRules } from './limit-options.js';
import type { DescriptorSettings, RulesSettings } from './rules-schema.js';

interface RuleNode {
  readonly limit: CompiledLimit | undefined;
  /** What statistics call this step. */
  readonly label: string;
  /** What all values of a wildcard count as, if they count together. */
  readonly shared: string | undefined;
  readonly isValueInMetric: boolean;
  readonly below: ReadonlyMap<string, KeyRules>;
}

interface Wildcard {
  readonly prefix: string;
  readonly node: RuleNode;
}

/** What there is for one key, in the order in which it is tried. */
interface KeyRules {
  readonly exact: Map<string, RuleNode>;
  readonly wildcards: Wildcard[];
  any: RuleNode | undefined;
}

/** The limit of a descriptor, and what it counts under. */
export interface Match {
  readonly limit: CompiledLimit;
  readonly key: string;
  readonly label: string;
}

/** The rules of a domain. */
export class RuleTree {
  readonly domain: string;
  readonly #root: ReadonlyMap<string, KeyRules>;
  readonly #keyPrefix: string;

  constructor({ domain, descriptors }: RulesSettings, rules: RateRules) {
    this.domain = domain;
    this.#keyPrefix = keyPrefix(domain);
    this.#root = compileAll(descriptors ?? [], domain, rules);
  }

  /**
   * The limit of the rule that is as deep as the descriptor. At each step the value as it is written comes first, then
   * wildcards in the order of the file, then the key alone; there is no way back from a step.
   */
  match(entries: readonly Entry[]): Match | undefined {
    let below = this.#root;
    let node: RuleNode | undefined;
    let key = this.#keyPrefix;
    let isOwnLabel = true;
    for (const entry of entries) {
      node = step(below.get(entry.key), entry.value);
      if (node === undefined) return undefined;
      key += keyPart(entry.key, node.shared ?? entry.value);
      if (node.isValueInMetric) isOwnLabel = false;
      below = node.below;
    }
    const limit = node?.limit;
    if (limit === undefined) return undefined;
    return {
      limit,
      key: boundedKey(key),
      label: isOwnLabel && !limit.isDetailed ? limit.label : this.#labelOf(entries, limit),
    };
  }

  /** Names all limits, for people. */
  describe(): string[] {
    return describeAll(this.#root);
  }

  /** With values in it that the file does not name. */
  #labelOf(entries: readonly Entry[], { isDetailed }: CompiledLimit): string {
    let below = this.#root;
    let label = this.domain;
    for (const { key, value } of entries) {
      const node = step(below.get(key), value)!;
      const isValue = node.shared === undefined && (isDetailed || node.isValueInMetric);
      label += `.${isValue && value !== '' ? `${key}_${value}` : node.label}`;
      below = node.below;
    }
    return boundedKey(label);
  }
}

function step(rules: KeyRules | undefined, value: string): RuleNode | undefined {
  if (rules === undefined) return undefined;
  const exact = rules.exact.get(value);
  if (exact !== undefined) return exact;
  for (const { prefix, node } of rules.wildcards) if (value.startsWith(prefix)) return node;
  return rules.any;
}

function compileAll(
  descriptors: readonly DescriptorSettings[],
  path: string,
  rules: RateRules,
): ReadonlyMap<string, KeyRules> {
  const found = new Map<string, KeyRules>();
  for (const settings of descriptors) {
    const { key } = settings;
    const value = settings.value ?? '';
    const known: KeyRules = found.get(key) ?? { exact: new Map(), wildcards: [], any: undefined };
    found.set(key, known);
    const label = value === '' ? key : `${key}_${value}`;
    const node = {
      limit: compileLimit(settings, `${path}.${label}`, rules),
      label,
      shared: settings.share_threshold ? value : undefined,
      isValueInMetric: settings.value_to_metric,
      below: compileAll(settings.descriptors ?? [], `${path}.${label}`, rules),
    };
    if (value === '') known.any = node;
    else if (value.endsWith('*')) known.wildcards.push({ prefix: value.slice(0, -1), node });
    // Who asks for what is written there gets it, also with a star at the end.
    if (value !== '') known.exact.set(value, node);
  }
  return found;
}

function describeAll(below: ReadonlyMap<string, KeyRules>): string[] {
  return [...below.values()].flatMap(({ exact, any }) =>
    [...exact.values(), ...(any === undefined ? [] : [any])].flatMap((node) => [
      ...(node.limit === undefined ? [] : [describeLimit(node.limit)]),
      ...describeAll(node.below),
    ]),
  );
}

function describeLimit({
  label,
  isUnlimited,
  requestsPerUnit,
  windowMs,
  rate,
  isShadow,
}: CompiledLimit): string {
  const how = rate?.options.algorithm ?? 'nothing is counted';
  const what = isUnlimited ? 'unlimited' : `${requestsPerUnit} per ${windowMs / 1_000} s, ${how}`;
  return `${label}: ${what}${isShadow ? ', in shadow' : ''}`;
}
