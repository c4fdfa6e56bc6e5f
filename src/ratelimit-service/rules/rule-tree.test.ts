import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../messages/limit-request.js';
import { RateRules } from './limit-options.js';
import { RuleTree } from './rule-tree.js';
import { type DescriptorSettings, parseRules, type RulesSettings } from './rules-schema.js';

const treeOf = (text: string) => new RuleTree(parseRules(text, 'rules.yaml'), new RateRules());
const entries = (...pairs: string[]): Entry[] =>
  pairs.map((pair) => {
    const [key = '', value = ''] = pair.split('=');
    return { key, value };
  });

describe('RuleTree', () => {
  it('tries the value, then wildcards in their order, then the key alone', () => {
    const tree = treeOf(`
domain: d
descriptors:
  - { key: path, rate_limit: { unit: second, requests_per_unit: 1 } }
  - { key: path, value: /a*, rate_limit: { unit: second, requests_per_unit: 2 } }
  - { key: path, value: /ab*, rate_limit: { unit: second, requests_per_unit: 3 } }
  - { key: path, value: /abc, rate_limit: { unit: second, requests_per_unit: 4 } }
`);
    const limitOf = (value: string) => tree.match(entries(`path=${value}`))?.limit.requestsPerUnit;
    expect(['/abc', '/abd', '/ax', '/', ''].map(limitOf)).toEqual([4, 2, 2, 1, 1]);
  });

  it('matches rules as deep as the descriptor, and no others', () => {
    const tree = treeOf(`
domain: d
descriptors:
  - key: a
    rate_limit: { unit: second, requests_per_unit: 1 }
    descriptors:
      - { key: b, rate_limit: { unit: second, requests_per_unit: 2 } }
`);
    expect(tree.match(entries('a=1'))?.limit.requestsPerUnit).toBe(1);
    expect(tree.match(entries('a=1', 'b=2'))?.limit.requestsPerUnit).toBe(2);
    expect(tree.match(entries('a=1', 'b=2', 'c=3'))).toBeUndefined();
    expect(tree.match(entries('b=2'))).toBeUndefined();
    expect(tree.match([])).toBeUndefined();
  });

  it('counts values of a wildcard together when they share a threshold', () => {
    const tree = treeOf(`
domain: d
descriptors:
  - key: file
    value: tmp/*
    share_threshold: true
    detailed_metric: true
    descriptors:
      - { key: user, detailed_metric: true, rate_limit: { unit: hour, requests_per_unit: 9 } }
  - { key: file, value: own/*, rate_limit: { unit: hour, requests_per_unit: 9 } }
`);
    const [a, b] = ['tmp/a', 'tmp/b'].map((file) => tree.match(entries(`file=${file}`, 'user=u'))!);
    expect(a!.key).toBe(b!.key);
    expect(a!.label).toBe('d.file_tmp/*.user_u');
    const [c, d] = ['own/a', 'own/b'].map((file) => tree.match(entries(`file=${file}`))!);
    expect(c!.key).not.toBe(d!.key);
    expect(c!.label).toBe('d.file_own/*');
  });

  it('names values in statistics only where it is told to', () => {
    const tree = treeOf(`
domain: d
descriptors:
  - key: route
    value_to_metric: true
    descriptors:
      - { key: user, rate_limit: { unit: hour, requests_per_unit: 9 } }
  - { key: ip, detailed_metric: true, rate_limit: { unit: hour, requests_per_unit: 9 } }
  - { key: plain, rate_limit: { unit: hour, requests_per_unit: 9 } }
`);
    expect(tree.match(entries('route=/x', 'user=u'))?.label).toBe('d.route_/x.user');
    expect(tree.match(entries('ip=10.0.0.1'))?.label).toBe('d.ip_10.0.0.1');
    expect(tree.match(entries('plain=v'))?.label).toBe('d.plain');
  });

  it('has a key of its own for each descriptor, whatever clients put into values', () => {
    const tree = treeOf(`
domain: d
descriptors:
  - key: a
    rate_limit: { unit: hour, requests_per_unit: 9 }
    descriptors:
      - { key: b, rate_limit: { unit: hour, requests_per_unit: 9 } }
`);
    const keys = [
      entries('a=1', 'b=2'),
      [{ key: 'a', value: '1|1,1:b=2' }],
      [{ key: 'a', value: '1' }],
      [
        { key: 'a', value: '1|1' },
        { key: 'b', value: ',1:b=2' },
      ],
    ].map((given) => tree.match(given)!.key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

/** As the documentation says it, by looking at each rule in turn; undefined: no limit. */
function naive(
  descriptors: readonly DescriptorSettings[],
  [entry, ...rest]: readonly Entry[],
): number | undefined {
  if (entry === undefined) return undefined;
  const ofKey = descriptors.filter(({ key }) => key === entry.key);
  const chosen =
    ofKey.find(({ value }) => value === entry.value && value !== '') ??
    ofKey.find(({ value }) => value?.endsWith('*') && entry.value.startsWith(value.slice(0, -1))) ??
    ofKey.find(({ value }) => (value ?? '') === '');
  if (chosen === undefined) return undefined;
  if (rest.length === 0) return chosen.rate_limit?.requests_per_unit ?? undefined;
  return naive(chosen.descriptors ?? [], rest);
}

const KEYS = fc.constantFrom('a', 'b', 'a_b');
const VALUES = fc.constantFrom('', 'x', 'xy', 'xyz', 'b', '*', 'x*', 'xy*');
const NO_FLAGS = {
  shadow_mode: false,
  quota_mode: false,
  detailed_metric: false,
  value_to_metric: false,
  share_threshold: false,
};

/** Lists in which nothing is there twice, three levels deep. */
function descriptorsOf(depth: number): fc.Arbitrary<DescriptorSettings[]> {
  const one = fc.record({
    key: KEYS,
    value: VALUES,
    limit: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
    descriptors: depth === 0 ? fc.constant([]) : descriptorsOf(depth - 1),
  });
  return fc.uniqueArray(one, { maxLength: 5, selector: ({ key, value }) => `${key} ${value}` }).map((list) =>
    list.map(({ key, value, limit, descriptors }) => ({
      ...NO_FLAGS,
      key,
      value,
      descriptors,
      rate_limit: limit === null ? undefined : { unit: 'day', requests_per_unit: limit, unlimited: false },
    })),
  );
}

describe('1,000 trees drawn at random', () => {
  it('match what a search through all rules finds', () => {
    let found = 0;
    fc.assert(
      fc.property(
        descriptorsOf(2),
        fc.array(fc.array(fc.record({ key: KEYS, value: VALUES }), { minLength: 1, maxLength: 4 }), {
          minLength: 20,
          maxLength: 20,
        }),
        (descriptors, asked) => {
          const settings: RulesSettings = { domain: 'd', descriptors };
          const tree = new RuleTree(settings, new RateRules());
          for (const given of asked) {
            const limit = tree.match(given)?.limit.requestsPerUnit;
            if (limit !== undefined) found++;
            expect(limit).toBe(naive(descriptors, given));
          }
        },
      ),
      { numRuns: 1_000 },
    );
    // Trees that match nothing would say nothing.
    expect(found).toBeGreaterThan(1_000);
  });
});
