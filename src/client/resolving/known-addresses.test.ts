import { describe, expect, it } from 'vitest';
import { type FamilyAnswer, KnownAddresses } from './known-addresses.js';

function found(family: 4 | 6, addresses: readonly string[], ttlMs = 5_000): FamilyAnswer {
  return { family, records: addresses.map((address) => ({ address, ttlMs })) };
}

function error(family: 4 | 6, code: string): FamilyAnswer {
  return { family, records: [], error: Object.assign(new Error(code), { code }) };
}

describe('addresses of a name', () => {
  it('are sorted, IPv6 in brackets', () => {
    const known = new KnownAddresses();
    const outcome = known.learn([
      found(4, ['10.0.0.2', '10.0.0.1'], 9_000),
      found(6, ['2001:db8::1'], 3_000),
    ]);
    expect(outcome).toEqual({ kind: 'found', ttlMs: 3_000 });
    expect(known.hosts).toEqual(['10.0.0.1', '10.0.0.2', '[2001:db8::1]']);
  });

  it.each(['ESERVFAIL', 'ENODATA', 'ETIMEOUT'])('are good when one family is, the other %s', (code) => {
    const known = new KnownAddresses();
    expect(known.learn([error(4, code), found(6, ['::1'])])).toEqual({ kind: 'found', ttlMs: 5_000 });
    expect(known.hosts).toEqual(['[::1]']);
  });

  it('of a family that failed are kept', () => {
    const known = new KnownAddresses();
    known.learn([found(4, ['10.0.0.1']), found(6, ['::1'])]);
    known.learn([found(4, ['10.0.0.2']), error(6, 'ETIMEOUT')]);
    expect(known.hosts).toEqual(['10.0.0.2', '[::1]']);
  });

  it('of a family that has none any more are gone', () => {
    const known = new KnownAddresses();
    known.learn([found(4, ['10.0.0.1']), found(6, ['::1'])]);
    known.learn([found(4, ['10.0.0.2']), error(6, 'ENODATA')]);
    expect(known.hosts).toEqual(['10.0.0.2']);
    known.learn([found(4, []), found(6, ['::2'])]);
    expect(known.hosts).toEqual(['[::2]']);
  });

  it('are empty only if every family says so', () => {
    const known = new KnownAddresses();
    expect(known.learn([error(4, 'ENOTFOUND'), error(6, 'ENODATA')]).kind).toBe('empty');
    expect(known.learn([error(4, 'ENODATA'), error(6, 'ESERVFAIL')])).toMatchObject({
      kind: 'failed',
      error: { code: 'ESERVFAIL' },
    });
    expect(known.learn([found(4, [])]).kind).toBe('empty');
  });

  it('are kept when nothing is found, until they are to be forgotten', () => {
    const known = new KnownAddresses();
    known.learn([found(4, ['10.0.0.1'])]);
    known.learn([error(4, 'ENOTFOUND')]);
    known.learn([error(4, 'ETIMEOUT')]);
    expect(known.hosts).toEqual(['10.0.0.1']);
    known.forget();
    expect(known.hosts).toEqual([]);
  });
});
