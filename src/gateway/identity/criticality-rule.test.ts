import { expect, it } from 'vitest';
import { CriticalityRule } from './criticality-rule.js';

it('is assigned, whatever anybody says, and never above the ceiling', () => {
  const rule = new CriticalityRule('CRITICAL');
  expect(rule.isUsual).toBe(false);
  expect(rule.decide('CRITICAL_PLUS', undefined)).toBe('CRITICAL');
  expect(rule.decide('SHEDDABLE', undefined)).toBe('CRITICAL');
  expect(rule.decide(undefined, 'SHEDDABLE_PLUS')).toBe('SHEDDABLE_PLUS');
  expect(rule.decide(undefined, 'CRITICAL_PLUS')).toBe('CRITICAL');
});

it('is what trusted callers say, within bounds', () => {
  const rule = new CriticalityRule({ default: 'SHEDDABLE_PLUS', max: 'CRITICAL' });
  expect(rule.decide(undefined, undefined)).toBe('SHEDDABLE_PLUS');
  expect(rule.decide('CRITICAL_PLUS', undefined)).toBe('CRITICAL');
  expect(rule.decide('SHEDDABLE', undefined)).toBe('SHEDDABLE');
  expect(rule.decide('CRITICAL', 'SHEDDABLE')).toBe('SHEDDABLE');
  expect(new CriticalityRule({ default: 'CRITICAL', max: 'CRITICAL_PLUS' }).isUsual).toBe(true);
});

it('is that of a batch at most where requests are a batch, before anybody lets them in', () => {
  const usual = new CriticalityRule({ default: 'CRITICAL', max: 'CRITICAL_PLUS' }, true);
  expect(usual.isUsual).toBe(false);
  expect(usual.decide(undefined, undefined)).toBe('SHEDDABLE_PLUS');
  expect(usual.decide('CRITICAL_PLUS', undefined)).toBe('SHEDDABLE_PLUS');
  expect(usual.decide('SHEDDABLE', undefined)).toBe('SHEDDABLE');
  expect(new CriticalityRule('CRITICAL_PLUS', true).decide(undefined, undefined)).toBe('SHEDDABLE_PLUS');
});
