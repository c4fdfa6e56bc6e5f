import { expect, it } from 'vitest';
import { CRITICALITIES, criticalityRank, DEFAULT_CRITICALITY, parseCriticality } from './criticality.js';

it('has four values in an order', () => {
  expect(CRITICALITIES.map(criticalityRank)).toEqual([0, 1, 2, 3]);
  expect(criticalityRank('CRITICAL_PLUS')).toBeGreaterThan(criticalityRank('CRITICAL'));
  expect(criticalityRank('CRITICAL')).toBeGreaterThan(criticalityRank('SHEDDABLE_PLUS'));
  expect(criticalityRank('SHEDDABLE_PLUS')).toBeGreaterThan(criticalityRank('SHEDDABLE'));
});

it('is CRITICAL unless said otherwise', () => {
  expect(DEFAULT_CRITICALITY).toBe('CRITICAL');
});

it('reads what it writes, and what people write', () => {
  for (const criticality of CRITICALITIES) expect(parseCriticality(criticality)).toBe(criticality);
  expect(parseCriticality(' sheddable-plus ')).toBe('SHEDDABLE_PLUS');
  expect(parseCriticality('Critical')).toBe('CRITICAL');
  expect(parseCriticality('critical'.padEnd(32))).toBe('CRITICAL');
});

it('knows no other', () => {
  for (const text of [
    '',
    'high',
    'CRITICAL+',
    'constructor',
    '__proto__',
    'CRITICAL '.repeat(10),
    'critical'.padEnd(33),
    'crit\u0131cal',
  ]) {
    expect(parseCriticality(text)).toBeUndefined();
  }
});
