import { describe, expect, it } from 'vitest';
import { ProxyTrust } from './proxy-trust.js';

const from = (list: string | undefined) => ({
  headers: list === undefined ? {} : { 'x-forwarded-for': list },
});

describe('who asks', () => {
  it('is the other end of the connection, when no proxy is believed', () => {
    const trust = new ProxyTrust(0);
    expect(trust.isNone).toBe(true);
    expect(trust.addressOf('10.0.0.1', from('1.2.3.4'))).toBe('10.0.0.1');
    expect(new ProxyTrust([]).isNone).toBe(true);
  });

  it.each([
    [1, '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    [2, '6.6.6.6, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
    [2, '1.2.3.4', '1.2.3.4'],
    [1, '1.2.3.4:567', '1.2.3.4'],
    [1, '[2001:db8::1]:567', '2001:db8::1'],
    [1, 'unknown', '10.0.0.1'],
    [1, undefined, '10.0.0.1'],
    [1, '', '10.0.0.1'],
  ])('behind %s proxies that say %s is %s', (depth, list, address) => {
    expect(new ProxyTrust(depth).addressOf('10.0.0.1', from(list))).toBe(address);
  });

  it.each([
    ['10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    ['10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', '1.2.3.4, unknown, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['9.9.9.9', '1.2.3.4', '9.9.9.9'],
    [undefined, '1.2.3.4', undefined],
  ])('from %s, which says %s, is %s', (peer, list, address) => {
    expect(new ProxyTrust(['10.0.0.0/8']).addressOf(peer, from(list))).toBe(address);
  });

  it('spoke what a believed proxy says', () => {
    const trust = new ProxyTrust(['10.0.0.0/8']);
    const said = (value: string) => ({ headers: { 'x-forwarded-proto': value } });
    expect(trust.protocolOf(false, '10.0.0.1', said('http, HTTPS'))).toBe('https');
    expect(trust.protocolOf(false, '10.0.0.1', said('gopher'))).toBe('http');
    for (const peer of ['9.9.9.9', undefined])
      expect(trust.protocolOf(false, peer, said('https'))).toBe('http');
    expect(trust.protocolOf(true, '9.9.9.9', { headers: {} })).toBe('https');
  });
});
