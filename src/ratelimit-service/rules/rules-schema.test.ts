import { describe, expect, it } from 'vitest';
import { parseRules, rulesJsonSchema } from './rules-schema.js';

const rules = (text: string) => parseRules(text, 'rules.yaml');
const RATE = '{ unit: second, requests_per_unit: 5 }';

describe('parseRules', () => {
  it('reads every key that Envoy’s service knows', () => {
    const { domain, descriptors } = rules(`
domain: all
descriptors:
  - key: a
    value: x*
    shadow_mode: true
    quota_mode: false
    detailed_metric: yes
    value_to_metric: on
    share_threshold: true
    metadata: { service: { name: web, weight: 3 } }
    rate_limit:
      name: first
      unit: WEEK
      requests_per_unit: 4294967295
      replaces: [{ name: other }]
    descriptors:
      - key: b
        rate_limit: { unlimited: true }
`);
    expect(domain).toBe('all');
    const [a] = descriptors!;
    expect(a).toMatchObject({
      shadow_mode: true,
      detailed_metric: true,
      value_to_metric: true,
      quota_mode: false,
    });
    expect(a!.rate_limit).toMatchObject({ name: 'first', unit: 'WEEK', requests_per_unit: 4_294_967_295 });
    expect(a!.metadata).toEqual({ service: { name: 'web', weight: 3 } });
    expect(a!.descriptors![0]!.rate_limit!.unlimited).toBe(true);
  });

  it('takes values as they are written', () => {
    const { descriptors } = rules(`domain: 7
descriptors:
  - { key: version, value: 1.10 }
  - { key: version, value: 007 }
  - { key: version, value: true }
  - { key: version, value: 0x10 }
  - { key: version, value: }
`);
    expect(descriptors!.map(({ value }) => value)).toEqual(['1.10', '007', 'true', '0x10', null]);
  });

  it.each([
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limits: {}',
      'rules.yaml:4:5: descriptors[0].rate_limits: is not known, did you mean rate_limit?',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit:\n      unit: second\n      requests_per_unit: 5\n      unit_multiplier: 5',
      'rules.yaml:7:7: descriptors[0].rate_limit.unit_multiplier: is not known',
    ],
    ['descriptors: []', 'rules.yaml:1:1: domain: is missing'],
    ['domain: ""', 'rules.yaml:1:1: domain: must be text'],
    ['domain: d\ndescriptors:\n  - value: x', 'rules.yaml:3:5: descriptors[0].key: is missing'],
    ['domain: d\ndescriptors:\n  - key: ""', 'rules.yaml:3:5: descriptors[0].key: must be text'],
    [
      `domain: d\ndescriptors:\n  - { key: a, rate_limit: ${RATE} }\n  - { key: a, value: "" }`,
      'rules.yaml:4:12: descriptors[1].key: is here for the second time',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: fortnight, requests_per_unit: 5 }',
      'rules.yaml:4:25: descriptors[0].rate_limit.unit: must be one of second, minute',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { requests_per_unit: 5 }',
      'descriptors[0].rate_limit.unit: is missing',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: day }',
      'descriptors[0].rate_limit.requests_per_unit: is missing',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: day, requests_per_unit: -1 }',
      'rules.yaml:4:49: descriptors[0].rate_limit.requests_per_unit: must be',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unlimited: true, unit: day }',
      'descriptors[0].rate_limit.unit: must be left out of what is unlimited',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: day, requests_per_unit: 1, name: n, replaces: [{ name: n }] }',
      'must not name the limit itself',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: day, requests_per_unit: 1, replaces: [{ name: "" }] }',
      'replaces[0].name: must be text',
    ],
    [
      'domain: d\ndescriptors:\n  - { key: a, value: b, share_threshold: true }',
      'share_threshold: is for values that end with *',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: day, requests_per_unit: 1, plimsoll: { algorithm: fixed-window, burst: 7 } }',
      'rate_limit.plimsoll: burst must be the limit with fixed-window, got 7',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: day, requests_per_unit: 1, plimsoll: { window: 5 } }',
      'plimsoll.window: must be a duration like',
    ],
    [
      'domain: d\ndescriptors:\n  - key: a\n    rate_limit: { unit: day, requests_per_unit: 1, plimsoll: { algorithm: gcra, count_refused: true } }',
      'count_refused must be left out with gcra',
    ],
    ['domain: d\ndescriptors: [5]', 'rules.yaml:2:15: descriptors[0]: must be a mapping, got 5'],
  ])('refuses %j', (text, words) => {
    expect(() => rules(text)).toThrow(words);
  });

  it('has a JSON Schema', () => {
    expect(JSON.stringify(rulesJsonSchema())).toContain('"requests_per_unit"');
  });
});
