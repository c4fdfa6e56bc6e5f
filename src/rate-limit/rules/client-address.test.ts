import { describe, expect, it } from 'vitest';
import { ClientAddress } from './client-address.js';

function of(options: object, address: string | undefined, forwarded?: string): string | undefined {
  const header = (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined);
  return new ClientAddress(options).of({ method: 'GET', url: '/', address, header });
}

describe('ClientAddress', () => {
  it('believes nobody by default', () => {
    expect(of({}, '10.0.0.1', '1.2.3.4')).toBe('10.0.0.1');
    expect(of({}, undefined, '1.2.3.4')).toBe(undefined);
  });

  it.each([
    [1, '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    [2, '6.6.6.6, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
    [2, '6.6.6.6,1.2.3.4,10.0.0.2', '1.2.3.4'],
    // It came around a proxy: all in the list is ours.
    [3, '1.2.3.4, 10.0.0.2', '1.2.3.4'],
    [1, '1.2.3.4:5678', '1.2.3.4'],
    [1, '[2001:db8::1]:5678', '2001:db8:0:0:0:0:0:0'],
    [1, 'unknown', '10.0.0.1'],
    [1, '1.2.3.4, ', '10.0.0.1'],
    [1, '', '10.0.0.1'],
    [2, ',', '10.0.0.1'],
    [1, undefined, '10.0.0.1'],
  ])('with %i proxies finds in %j the client %s', (trustedProxies, forwarded, expected) => {
    expect(of({ trustedProxies }, '10.0.0.1', forwarded)).toBe(expected);
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', 64, '2001:db8:1:2:0:0:0:0'],
    ['2001:DB8:1:2::9', 64, '2001:db8:1:2:0:0:0:0'],
    ['2001:db8:1:2ff:3::', 56, '2001:db8:1:200:0:0:0:0'],
    ['2001:db8::1', 128, '2001:db8:0:0:0:0:0:1'],
    ['::1', 128, '0:0:0:0:0:0:0:1'],
    ['ffff::', 1, '8000:0:0:0:0:0:0:0'],
    ['fe80::1%eth0', 64, 'fe80:0:0:0:0:0:0:0'],
    ['::ffff:1.2.3.4', 64, '1.2.3.4'],
    ['::ffff:102:304', 64, '1.2.3.4'],
    ['64:ff9b::1.2.3.4', 128, '64:ff9b:0:0:0:0:102:304'],
    ['1.2.3.4', 64, '1.2.3.4'],
    ['nonsense', 64, undefined],
  ])('writes %s with /%i as %s', (address, ipv6Prefix, expected) => {
    expect(of({ ipv6Prefix }, address)).toBe(expected);
  });

  it('refuses impossible options', () => {
    expect(() => new ClientAddress({ trustedProxies: -1 })).toThrow(
      'trustedProxies must be an integer from 0 to 16',
    );
    expect(() => new ClientAddress({ ipv6Prefix: 129 })).toThrow(
      'ipv6Prefix must be an integer from 1 to 128',
    );
  });
});
