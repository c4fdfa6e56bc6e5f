import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { OF_FILE_SYSTEM, peerOf, trustOf } from './trust.js';

describe('whose word is believed', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '::1',
    'fd00::1',
    'fe80::1',
  ])('private: %s is', (address) => expect(trustOf('private')(address)).toBe(true));

  it.each(['8.8.8.8', '172.32.0.1', '172.15.255.255', '11.0.0.1', '2001:db8::1', 'nonsense', ''])(
    'private: %s is not',
    (address) => expect(trustOf('private')(address)).toBe(false),
  );

  it('sees through IPv4 addresses in IPv6 form, both ways', () => {
    expect(trustOf('private')('::ffff:10.0.0.1')).toBe(true);
    expect(trustOf('private')('::ffff:8.8.8.8')).toBe(false);
  });

  it('believes who may open a socket of the file system, unless nobody is to be believed, or a function says', () => {
    const trusts = ['private', 'all', ['8.8.8.0/24'], 'none', () => true] as const;
    expect(trusts.map((trust) => trustOf(trust)(OF_FILE_SYSTEM))).toEqual([true, true, true, false, false]);
  });

  it('believes nobody without an address: such a peer has reset its connection already', () => {
    const trusts = ['private', 'all', ['0.0.0.0/0', '::/0'], 'none', () => true] as const;
    expect(trusts.map((trust) => trustOf(trust)(undefined))).toEqual(trusts.map(() => false));
  });

  it('asks a socket who is at its other end', () => {
    const peer = (socket: object) => peerOf(socket as Socket);
    const listening = (address: unknown) => ({ server: { address: () => address } });
    expect(peer({ remoteAddress: '1.1.1.1', ...listening('/run/it') })).toBe('1.1.1.1');
    expect(peer(listening('/run/it'))).toBe(OF_FILE_SYSTEM);
    for (const address of [{ port: 80 }, null]) expect(peer(listening(address))).toBeUndefined();
    for (const socket of [{}, { server: {} }]) expect(peer(socket)).toBeUndefined();
  });

  it('takes all, none, networks and functions', () => {
    expect(trustOf('all')('8.8.8.8')).toBe(true);
    expect(trustOf('none')('127.0.0.1')).toBe(false);
    const networks = trustOf(['8.8.8.0/24', '2001:db8::/32', '9.9.9.9']);
    expect(['8.8.8.8', '2001:db8::5', '9.9.9.9'].map(networks)).toEqual([true, true, true]);
    expect(['8.8.9.1', '9.9.9.8', '127.0.0.1'].map(networks)).toEqual([false, false, false]);
    expect(trustOf((address) => address === '1.1.1.1')('1.1.1.1')).toBe(true);
    expect(trustOf(() => 'yes' as unknown as boolean)('1.1.1.1')).toBe(false);
  });

  it.each(['10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '10.0.0.0/-1', 'example.com', '::/129', ''])(
    'refuses the network %j',
    (network) => expect(() => trustOf([network])).toThrow(RangeError),
  );

  it('refuses what is none of these', () => {
    expect(() => trustOf('public' as 'all')).toThrow(/trust must be/);
  });
});
