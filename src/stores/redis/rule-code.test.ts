import { describe, expect, it } from 'vitest';
import { ALGORITHM_NAMES, type RateLimitOptions } from '../../core/index.js';
import { createRateRule } from '../rate-store.js';
import { queueCode, ruleCode } from './rule-code.js';

const rule = (options: Partial<RateLimitOptions>, name = 'api') =>
  createRateRule(name, { algorithm: 'gcra', limit: 300, windowMs: 7_000, ...options });

describe('ruleCode', () => {
  it('has the numbers that scripts decide by', () => {
    const codes = ALGORITHM_NAMES.map((algorithm) => ruleCode(rule({ algorithm })).code);
    expect(codes).toEqual([
      '["t",3,70,300,21000]',
      '["l",3,70,300,21000]',
      '["f",300,7000]',
      '["s",300,7000,0]',
      '["c",300,7000]',
      '["g",3,70,300,21000]',
    ]);
    expect(ruleCode(rule({ algorithm: 'sliding-log', countRefused: true })).code).toBe('["s",300,7000,1]');
    expect(queueCode(rule({ algorithm: 'leaking-bucket', burst: 5 })).code).toBe('["q",3,70,5,350]');
  });

  it('ends keys differently when anything is different that states depend on', () => {
    const rules = [
      ...ALGORITHM_NAMES.map((algorithm) => rule({ algorithm })),
      rule({}, 'other'),
      rule({ limit: 301 }),
      rule({ windowMs: 7_001 }),
      rule({ burst: 301 }),
      rule({ algorithm: 'sliding-log', countRefused: true }),
    ];
    const suffixes = [...rules.map((each) => ruleCode(each).suffix), queueCode(rules[1]!).suffix];
    expect(new Set(suffixes).size).toBe(rules.length + 1);
    expect(suffixes[5]).toBe(':api:g300-7000-300');
    expect(ruleCode(rule({ burst: 300 })).suffix).toBe(suffixes[5]);
  });

  it('keeps braces out of names', () => {
    expect(ruleCode(rule({}, 'a}:b%')).suffix).toBe(':a%7D:b%25:g300-7000-300');
  });
});
