import { describe, expect, it } from 'vitest';
import { askedOf } from '../deciding/asked.js';
import { boundedKey } from './count-key.js';
import { RateRules } from './limit-options.js';
import { RuleTree } from './rule-tree.js';
import { parseRules } from './rules-schema.js';

const RULES =
  'domain: d\ndescriptors:\n  - { key: a, detailed_metric: true, rate_limit: { unit: minute, requests_per_unit: 2 } }';

describe('boundedKey', () => {
  it('keeps what is short, and makes a short one of all of what is long', () => {
    expect(boundedKey('x'.repeat(256))).toBe('x'.repeat(256));
    const long = 'x'.repeat(60_000);
    expect(boundedKey(`${long}1`)).toHaveLength(71);
    expect(boundedKey(`${long}1`)).toBe(boundedKey(`${long}1`));
    expect(boundedKey(`${long}1`)).not.toBe(boundedKey(`${long}2`));
  });

  it.each([
    ['of a rule', undefined],
    ['of a limit that a caller has brought along', { requestsPerUnit: 2, unit: 2 }],
  ])('bounds keys and labels %s', (_, override) => {
    const rules = new RateRules();
    const tree = new RuleTree(parseRules(RULES, 'rules.yaml'), rules);
    const entries = [{ key: 'a', value: 'v'.repeat(60_000) }];
    const descriptor = { entries, override, hits: undefined, isNegative: false };
    const [asked] = askedOf({ domain: 'd', hitsAddend: 0, descriptors: [descriptor] }, tree, rules);
    expect(asked!.key.length).toBeLessThanOrEqual(256);
    expect(asked!.label.length).toBeLessThanOrEqual(256);
  });
});
