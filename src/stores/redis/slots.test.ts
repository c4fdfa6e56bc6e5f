import { describe, expect, it } from 'vitest';
import { slotOf } from './slots.js';

describe('slotOf', () => {
  it('is the CRC of the Cluster specification, of the whole key', () => {
    // 0x31C3 is the specification's own example.
    expect(slotOf('123456789')).toBe(0x31c3);
    expect(slotOf('foo')).toBe(12_182);
    expect(slotOf('')).toBe(0);
  });

  it('is that of what is between the first braces, if there is something', () => {
    expect(slotOf('{user1000}.following')).toBe(slotOf('user1000'));
    expect(slotOf('foo{bar}{zap}')).toBe(slotOf('bar'));
    expect(slotOf('foo{{bar}}zap')).toBe(slotOf('{bar'));
    expect(slotOf('foo{}{bar}')).not.toBe(slotOf('bar'));
    expect(slotOf('foo{bar')).not.toBe(slotOf('bar'));
  });

  it('counts bytes, not letters', () => {
    expect(slotOf('{ü}')).toBe(slotOf('ü'));
    expect(slotOf('ü')).not.toBe(slotOf('u'));
  });
});
