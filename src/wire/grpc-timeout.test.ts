import { describe, expect, it } from 'vitest';
import { decodeGrpcTimeout, encodeGrpcTimeout } from './grpc-timeout.js';

describe('grpc-timeout', () => {
  it.each([
    ['1H', 3_600_000],
    ['2M', 120_000],
    ['3S', 3_000],
    ['250m', 250],
    ['0m', 0],
    ['1500u', 2],
    ['1u', 1],
    ['1n', 1],
    ['99999999n', 100],
    ['99999999H', 359_999_996_400_000],
  ])('reads %s', (value, ms) => {
    expect(decodeGrpcTimeout(value)).toBe(ms);
  });

  it.each(['', 'm', '1', '1s', '-1m', '1.5S', '123456789m', ' 1m', '1m ', '1 m', '0x1m', 'constructor'])(
    'does not read %j',
    (value) => {
      expect(decodeGrpcTimeout(value)).toBeUndefined();
    },
  );

  it('writes what it reads, never more', () => {
    expect(encodeGrpcTimeout(250.9)).toBe('250m');
    expect(encodeGrpcTimeout(-1)).toBe('0m');
    expect(encodeGrpcTimeout(99_999_999)).toBe('99999999m');
    expect(encodeGrpcTimeout(100_000_999)).toBe('100000S');
    expect(encodeGrpcTimeout(1e15)).toBe('99999999S');
  });
});
