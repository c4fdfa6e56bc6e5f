import { describe, expect, it } from 'vitest';
import {
  ALL_PROTOCOLS,
  addressWords,
  GRPC_PROTOCOLS,
  HTTP_PROTOCOLS,
  isAddress,
  joinAddresses,
  splitAddresses,
} from './capacity-address.js';

describe('addresses of capacity servers', () => {
  it.each(['http://a', 'https://a:8443/below', 'grpc://a:50051', 'grpcs://a.b:1/', 'grpc://[::1]:50051'])(
    'can be %s',
    (address) => {
      expect(isAddress(address, ALL_PROTOCOLS)).toBe(true);
    },
  );

  it.each([
    'a:50051',
    'ftp://a',
    'http://a/?x',
    'http://a/#x',
    'grpc://a',
    'grpc:a:1',
    'grpc://:1',
    'grpc://a:1/path',
    'grpc://me@a:1',
    'grpc://:secret@a:1',
    'grpc://a:1 grpc://b:1',
    `http://${'x'.repeat(2_000)}`,
    7,
    undefined,
  ])('cannot be %s', (address) => {
    expect(isAddress(address, ALL_PROTOCOLS)).toBe(false);
  });

  it('are for whoever speaks their protocol', () => {
    expect(isAddress('grpc://a:1', HTTP_PROTOCOLS)).toBe(false);
    expect(isAddress('http://a:1', GRPC_PROTOCOLS)).toBe(false);
    const both = joinAddresses(['http://a:1', 'grpc://a:2']);
    expect(splitAddresses(both, HTTP_PROTOCOLS)).toEqual(['http://a:1']);
    expect(splitAddresses(both, GRPC_PROTOCOLS)).toEqual(['grpc://a:2']);
    expect(splitAddresses('', ALL_PROTOCOLS)).toEqual([]);
  });

  it('are called by name', () => {
    expect(addressWords(HTTP_PROTOCOLS)).toBe('an http or https address');
    expect(addressWords(ALL_PROTOCOLS)).toBe('an http, https, grpc or grpcs address');
  });
});
