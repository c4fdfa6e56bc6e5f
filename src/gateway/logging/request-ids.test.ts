import { describe, expect, it } from 'vitest';
import { isSaneId, RequestIds } from './request-ids.js';

describe('request ids', () => {
  it('are one of a kind, in this process and in others', () => {
    const ids = new RequestIds();
    const other = new RequestIds();
    const all = new Set(Array.from({ length: 1_000 }, () => [ids.next(), other.next()]).flat());
    expect(all.size).toBe(2_000);
    for (const id of all) expect(isSaneId(id)).toBe(true);
    expect(new RequestIds('abc').next()).toBe('abc-0');
  });

  it('are believed only when they look like one', () => {
    for (const id of [
      '7f3a',
      '018f2c1e-7b1a-7c3d-9e4f-aabbccddeeff',
      'Root=1-67891233-abcdef',
      'a'.repeat(128),
    ])
      expect(isSaneId(id)).toBe(true);
    for (const id of [
      '',
      'a b',
      'a\nb',
      'a"b',
      '<b>',
      '$(x)',
      'é',
      '\u001b[2J',
      'a'.repeat(129),
      undefined,
      ['a'],
    ])
      expect(isSaneId(id)).toBe(false);
  });
});
