import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pack, unpack } from './packing.js';

describe('a text', () => {
  it('comes back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        const packed = await pack(text);
        expect(packed).toMatch(/^[\w-]+$/);
        expect(await unpack(packed, 10_000)).toBe(text);
      }),
    );
  });

  it('takes less room than it did', async () => {
    expect((await pack('backends: 5\n'.repeat(100))).length).toBeLessThan(100);
  });
});

describe('what somebody else wrote', () => {
  it('is not unpacked beyond what is allowed', async () => {
    const packed = await pack('x'.repeat(5_000_000));
    expect(packed.length).toBeLessThan(10_000);
    expect(await unpack(packed, 100_000)).toBeUndefined();
  });

  it.each(['', '!', 'AAAA', '____', 'a b', '<script>'])('is nothing when it is "%s"', async (packed) => {
    expect(await unpack(packed, 100)).toBeUndefined();
  });

  it('is nothing when it is cut off, or no text', async () => {
    const packed = await pack('a text of some length, and then some more of it');
    expect(await unpack(packed.slice(0, -8), 1_000)).toBeUndefined();
    // Stored, not compressed: one byte, 0xff, which is no UTF-8.
    const stored = Buffer.from([1, 1, 0, 0xfe, 0xff, 0xff]).toString('base64url');
    expect(await unpack(stored, 1_000)).toBeUndefined();
  });
});
