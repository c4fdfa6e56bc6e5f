import { describe, expect, it } from 'vitest';
import { claimIn } from './claim.js';

const claims = {
  sub: 'ann',
  org: { id: 5, name: 'acme', team: { lead: true } },
  'https://example.com/tenant': 'blue',
  'a.b': 'whole',
  a: { b: 'parts', c: 'deep' },
  roles: ['x'],
  none: null,
  long: 'x'.repeat(500),
};

describe('claimIn', () => {
  it.each([
    ['sub', 'ann'],
    ['org.id', '5'],
    ['org.team.lead', 'true'],
    ['https://example.com/tenant', 'blue'],
    ['a.b', 'whole'],
    ['a.c', 'deep'],
    ['org', undefined],
    ['roles', undefined],
    ['roles.0', 'x'],
    ['none', undefined],
    ['none.more', undefined],
    ['sub.length', undefined],
    ['missing', undefined],
    ['.sub', undefined],
    ['toString', undefined],
    ['__proto__.toString', undefined],
  ])('reads %s: %s', (path, expected) => {
    expect(claimIn(claims, path)).toBe(expected);
  });

  it('keeps long ones short', () => {
    expect(claimIn(claims, 'long')).toMatch(/^#[\w-]{22}$/);
  });
});
