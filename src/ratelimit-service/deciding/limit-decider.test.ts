import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../stores/memory/memory-store.js';
import type { Descriptor, LimitRequest } from '../messages/limit-request.js';
import type { LimitResponse } from '../messages/limit-response.js';
import { RateRules } from '../rules/limit-options.js';
import { RuleTree } from '../rules/rule-tree.js';
import { parseRules } from '../rules/rules-schema.js';
import { type DeciderOptions, LimitDecider } from './limit-decider.js';

const START_MS = 1_700_000_040_000 - (1_700_000_040_000 % 86_400_000);

function deciderOf(text: string, more: Partial<DeciderOptions> = {}) {
  let nowMs = START_MS;
  const environment = { monotonicMs: () => nowMs, wallMs: () => nowMs, random: () => 0.5 };
  const rateRules = new RateRules();
  const tree = new RuleTree(parseRules(text, 'rules.yaml'), rateRules);
  const decider = new LimitDecider(new Map([[tree.domain, tree]]), rateRules, {
    store: new MemoryStore({ environment }),
    timeoutMs: 50,
    onStoreFailure: 'allow',
    isShadow: false,
    responseHeaders: undefined,
    requestHeaders: undefined,
    withMetadata: false,
    nearRatio: 0.8,
    nowMs: () => nowMs,
    ...more,
  });
  return {
    decider,
    pass: (ms: number) => {
      nowMs += ms;
    },
    ask: (given: string | readonly (string | Partial<Descriptor>)[], hitsAddend = 0): LimitResponse =>
      decider.decide(requestOf(typeof given === 'string' ? [given] : given, hitsAddend)) as LimitResponse,
  };
}

function requestOf(given: readonly (string | Partial<Descriptor>)[], hitsAddend: number): LimitRequest {
  const none = { entries: [], override: undefined, hits: undefined, isNegative: false };
  return {
    domain: 'd',
    hitsAddend,
    descriptors: given.map((each) =>
      typeof each === 'string' ? { ...none, entries: entriesOf(each) } : { ...none, ...each },
    ),
  };
}

function entriesOf(text: string) {
  return text.split(',').map((pair) => {
    const [key = '', value = ''] = pair.split('=');
    return { key, value };
  });
}

const codes = (response: LimitResponse) => [response.code, ...response.statuses.map(({ code }) => code)];
const ONE = (rate: string, more = '') =>
  `domain: d\ndescriptors:\n  - { key: a, rate_limit: ${rate}${more} }`;

describe('LimitDecider', () => {
  it('counts in windows that begin with the unit', () => {
    const { ask, pass } = deciderOf(ONE('{ unit: minute, requests_per_unit: 2 }'));
    pass(15_500);
    expect(ask('a=1').statuses[0]).toMatchObject({ code: 1, remaining: 1, resetSeconds: 45 });
    expect(ask('a=1').statuses[0]).toMatchObject({ code: 1, remaining: 0 });
    expect(ask('a=1').statuses[0]).toMatchObject({ code: 2, remaining: 0, resetSeconds: 45 });
    expect(ask('a=2').code).toBe(1);
    pass(44_500);
    expect(ask('a=1').statuses[0]).toMatchObject({ code: 1, remaining: 1, resetSeconds: 60 });
  });

  it('counts each descriptor on its own, also when another refuses', () => {
    const { ask } = deciderOf(`
domain: d
descriptors:
  - { key: a, rate_limit: { unit: day, requests_per_unit: 1 } }
  - { key: b, rate_limit: { unit: day, requests_per_unit: 5 } }
`);
    expect(ask(['a=1', 'b=1']).statuses.map(({ remaining }) => remaining)).toEqual([0, 4]);
    const second = ask(['a=1', 'b=1']);
    expect(codes(second)).toEqual([2, 2, 1]);
    expect(second.statuses[1]!.remaining).toBe(3);
    // Twice in one call is two hits.
    expect(ask(['b=1', 'b=1']).statuses.map(({ remaining }) => remaining)).toEqual([2, 1]);
  });

  it('lets pass what no rule is for', () => {
    const { ask, decider } = deciderOf(ONE('{ unit: day, requests_per_unit: 1 }'));
    expect(ask('c=1').statuses[0]).toEqual({ code: 1, limit: undefined, remaining: 0, resetSeconds: 0 });
    const other = { ...requestOf(['a=1'], 0), domain: 'other' };
    expect((decider.decide(other) as LimitResponse).code).toBe(1);
  });

  it('says what is wrong with a call', () => {
    const { decider, ask } = deciderOf(ONE('{ unit: day, requests_per_unit: 1 }'));
    expect(() => decider.decide({ ...requestOf(['a=1'], 0), domain: '' })).toThrow(
      'domain must not be empty',
    );
    expect(() => ask([])).toThrow('descriptor list must not be empty');
    expect(() => ask([{ entries: entriesOf('a=1'), override: { requestsPerUnit: 1, unit: 0 } }])).toThrow(
      'unit',
    );
  });

  it('refuses everything where the limit is 0, and nothing where there is none', () => {
    const { ask } = deciderOf(`
domain: d
descriptors:
  - { key: a, value: bad, rate_limit: { unit: second, requests_per_unit: 0 } }
  - { key: a, rate_limit: { unlimited: true } }
`);
    expect(ask('a=bad').statuses[0]).toMatchObject({ code: 2, remaining: 0, resetSeconds: 1 });
    expect(ask('a=good').statuses[0]).toMatchObject({ code: 1, limit: undefined, remaining: 4_294_967_295 });
  });

  it('takes as many hits as it is told, by request or by descriptor', () => {
    const { ask } = deciderOf(ONE('{ unit: day, requests_per_unit: 10 }'));
    expect(ask('a=1', 4).statuses[0]!.remaining).toBe(6);
    expect(ask([{ entries: entriesOf('a=1'), hits: 3 }], 9).statuses[0]!.remaining).toBe(3);
    expect(ask([{ entries: entriesOf('a=1'), hits: 0 }]).statuses[0]).toMatchObject({
      code: 1,
      remaining: 3,
    });
    // Refused, and counted as in Envoy's service: nothing is left.
    expect(ask('a=1', 4).statuses[0]).toMatchObject({ code: 2, remaining: 0 });
    expect(ask('a=1').code).toBe(2);
    expect(ask([{ entries: entriesOf('a=1'), hits: 0 }]).code).toBe(2);
  });

  it('does not count what it refuses when told so', () => {
    const { ask } = deciderOf(
      ONE('{ unit: day, requests_per_unit: 10, plimsoll: { count_refused: false } }'),
    );
    expect(ask('a=1', 11).code).toBe(2);
    expect(ask('a=1', 10)).toMatchObject({ code: 1 });
  });

  it('gives back negative hits', () => {
    const { ask } = deciderOf(ONE('{ unit: day, requests_per_unit: 10 }'));
    ask('a=1', 10);
    const back = ask([{ entries: entriesOf('a=1'), hits: 4, isNegative: true }]);
    expect(back.statuses[0]).toMatchObject({ code: 1, remaining: 4 });
    expect(ask('a=1', 4).code).toBe(1);
    expect(ask('a=1').code).toBe(2);
  });

  it('takes the limit that a caller brings along instead', () => {
    const { ask } = deciderOf(ONE('{ unit: day, requests_per_unit: 1 }', ', shadow_mode: true'));
    const descriptor = { entries: entriesOf('a=1'), override: { requestsPerUnit: 2, unit: 3 } };
    expect(ask([descriptor]).statuses[0]).toMatchObject({ code: 1, remaining: 1, limit: { unit: 3 } });
    ask([descriptor]);
    expect(ask([descriptor]).code).toBe(2);
    expect(ask([{ ...descriptor, override: { requestsPerUnit: 0, unit: 1 } }]).code).toBe(2);
  });

  it('bounds how many limits callers can bring along', () => {
    const { ask } = deciderOf(ONE('{ unit: day, requests_per_unit: 1 }'));
    const bring = (n: number) =>
      ask([{ entries: entriesOf('x=1'), override: { requestsPerUnit: n, unit: 1 } }]);
    for (let n = 1; n <= 1_000; n++) bring(n);
    expect(() => bring(1_001)).toThrow('too many different limits');
    expect(bring(1_000).code).toBe(1);
  });

  it('does not ask a limit that another one replaces', () => {
    const { ask } = deciderOf(`
domain: d
descriptors:
  - { key: a, rate_limit: { name: general, unit: day, requests_per_unit: 1 } }
  - { key: b, rate_limit: { replaces: [{ name: general }], unit: day, requests_per_unit: 5 } }
`);
    const both = ask(['a=1', 'b=1']);
    expect(both.statuses.map(({ limit }) => limit?.requestsPerUnit)).toEqual([undefined, 5]);
    expect(ask('a=1').statuses[0]).toMatchObject({ code: 1, remaining: 0 });
  });

  it('refuses nobody in shadow, of a rule or of all', () => {
    const rule = deciderOf(ONE('{ unit: day, requests_per_unit: 1 }', ', shadow_mode: true'));
    rule.ask('a=1');
    expect(rule.ask('a=1')).toMatchObject({ code: 1, statuses: [{ code: 1, remaining: 0 }] });
    expect(rule.decider.stats.snapshot()).toMatchObject([{ label: 'd.a', total: 2, over: 1, shadow: 1 }]);
    const all = deciderOf(ONE('{ unit: day, requests_per_unit: 1 }'), { isShadow: true });
    all.ask('a=1');
    expect(codes(all.ask('a=1'))).toEqual([1, 2]);
    expect(all.decider.shadowed).toBe(1);
  });

  it('tells of quotas that are used up, and lets pass', () => {
    const { ask } = deciderOf(
      ONE('{ unit: day, requests_per_unit: 1 }', ', quota_mode: true, metadata: { service: one }'),
      { withMetadata: true },
    );
    expect(ask('a=1', 1).metadata).toEqual({
      domain: 'd',
      descriptors: [{ entries: ['a=1'] }],
      hitsAddend: 1,
      quotaModeEnabled: true,
      service: 'one',
    });
    const over = ask('a=1');
    expect(codes(over)).toEqual([1, 2]);
    expect(over.metadata).toMatchObject({ quotaModeViolations: [0] });
    expect(over.metadata).not.toHaveProperty('service');
  });

  it('tells of the descriptor that is the closest to its limit', () => {
    const names = { limit: 'L', remaining: 'R', reset: 'T' };
    const { ask } = deciderOf(
      `
domain: d
descriptors:
  - { key: a, rate_limit: { unit: minute, requests_per_unit: 9 } }
  - { key: b, rate_limit: { unit: hour, requests_per_unit: 2 } }
`,
      { responseHeaders: names },
    );
    const valuesOf = (response: LimitResponse) => response.responseHeaders.map(({ value }) => value);
    expect(valuesOf(ask(['a=1', 'b=1', 'c=1']))).toEqual(['2', '1', '3600']);
    expect(valuesOf(ask('c=1'))).toEqual([]);
    expect(ask('a=1').requestHeaders).toEqual([]);
  });

  it('counts what is near the limit, and over it', () => {
    const { ask, decider } = deciderOf(ONE('{ unit: day, requests_per_unit: 10 }'));
    ask('a=1', 7);
    expect(decider.stats.snapshot()).toMatchObject([{ total: 7, near: 0, over: 0 }]);
    ask('a=1', 2);
    expect(decider.stats.snapshot()).toMatchObject([{ total: 9, near: 1, over: 0 }]);
    ask('a=1', 3);
    expect(decider.stats.snapshot()).toMatchObject([{ total: 12, near: 2, over: 2 }]);
    ask('a=1', 5);
    expect(decider.stats.snapshot()).toMatchObject([{ total: 17, near: 2, over: 7 }]);
  });

  it('has windows of several units, sliding ones and buckets', () => {
    const { ask, pass } = deciderOf(`
domain: d
descriptors:
  - { key: five, rate_limit: { unit: minute, requests_per_unit: 1, plimsoll: { window: 5m } } }
  - { key: slide, rate_limit: { unit: minute, requests_per_unit: 2, plimsoll: { algorithm: sliding-log } } }
  - { key: bucket, rate_limit: { unit: minute, requests_per_unit: 60, plimsoll: { algorithm: token-bucket, burst: 2 } } }
`);
    const burst = () => [ask('bucket=1').code, ask('bucket=1').code, ask('bucket=1').code];
    expect(burst()).toEqual([1, 1, 2]);
    pass(2_000);
    expect(burst()).toEqual([1, 1, 2]);
    pass(56_000);
    expect(ask('five=1').code).toBe(1);
    expect([ask('slide=1').code, ask('slide=1').code]).toEqual([1, 1]);
    // In the next minute, where a fixed window of one would begin anew.
    pass(4_000);
    expect(ask('five=1').code).toBe(2);
    expect(ask('slide=1').code).toBe(2);
    pass(240_000);
    expect(ask('five=1').code).toBe(1);
    expect(ask('slide=1').code).toBe(1);
  });
});
