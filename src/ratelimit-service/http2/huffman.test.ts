import { describe, expect, it } from 'vitest';
import { decodeHuffman } from './huffman.js';

const decode = (hex: string) => {
  const bytes = Buffer.from(hex, 'hex');
  return decodeHuffman(bytes, 0, bytes.length);
};

describe('decodeHuffman', () => {
  it('reads texts of RFC 7541, C.4 and C.6', () => {
    expect(decode('f1e3c2e5f23a6ba0ab90f4ff')).toBe('www.example.com');
    expect(decode('aec3771a4b')).toBe('private');
    expect(decode('d07abe941054d444a8200595040b8166e082a62d1bff')).toBe('Mon, 21 Oct 2013 20:13:21 GMT');
    expect(decode('9d29ad171863c78f0b97c8e9ae82ae43d3')).toBe('https://www.example.com');
  });

  it('reads the rarest letters: their codes have 30 bits', () => {
    // 10 is 3ffffffc, filled up with two ones.
    expect(decode('fffffff3')).toBe('\n');
    expect(decode('')).toBe('');
  });

  it('refuses a fill of a whole byte', () => {
    expect(() => decode('1fff')).toThrow(RangeError);
  });
});
