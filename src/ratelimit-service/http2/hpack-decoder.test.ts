import { describe, expect, it } from 'vitest';
import { HpackDecoder, MOST_FIELD_BYTES } from './hpack-decoder.js';

function reader() {
  const decoder = new HpackDecoder();
  return (hex: string) => {
    const block = Buffer.from(hex.replaceAll(' ', ''), 'hex');
    const fields: string[] = [];
    decoder.decode(block, 0, block.length, ({ name, value }) => fields.push(`${name}: ${value}`));
    return fields;
  };
}

const HOST = ':authority: www.example.com';

describe('HpackDecoder', () => {
  it('reads what RFC 7541 shows in C.3: three requests in plain letters', () => {
    const read = reader();
    expect(read('8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d')).toEqual([
      ':method: GET',
      ':scheme: http',
      ':path: /',
      HOST,
    ]);
    expect(read('8286 84be 5808 6e6f 2d63 6163 6865').slice(3)).toEqual([HOST, 'cache-control: no-cache']);
    const third = read('8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65');
    expect(third.slice(2)).toEqual([':path: /index.html', HOST, 'custom-key: custom-value']);
  });

  it('reads what it shows in C.4: the same in Huffman codes', () => {
    const read = reader();
    expect(read('8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff')).toEqual([
      ':method: GET',
      ':scheme: http',
      ':path: /',
      HOST,
    ]);
    expect(read('8286 84be 5886 a8eb 1064 9cbf').slice(3)).toEqual([HOST, 'cache-control: no-cache']);
    const third = read('8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf');
    expect(third.slice(2)).toEqual([':path: /index.html', HOST, 'custom-key: custom-value']);
  });

  it('forgets what does not fit its table', () => {
    const read = reader();
    expect(read('4001 6101 62')).toEqual(['a: b']);
    expect(read('be')).toEqual(['a: b']);
    // A table of nothing.
    expect(read('20')).toEqual([]);
    expect(() => read('be')).toThrow('there is no header field 62');
  });

  it('does not keep what it is told not to', () => {
    const read = reader();
    expect(read('0001 6101 62')).toEqual(['a: b']);
    expect(read('1001 6101 62')).toEqual(['a: b']);
    expect(() => read('be')).toThrow(RangeError);
  });

  it.each([
    ['80', 'there is no header field 0'],
    ['40', 'ends within a field'],
    ['4005 61', 'ends within a text'],
    ['3fe2 7f', 'larger than allowed'],
    ['ffff ffff ff7f', 'too large'],
    ['82 20', 'resized after fields'],
    // All ones is the end of a text, which must not be in it.
    ['4084 ffff ffff 0161', 'has its own end in it'],
    // Less than a letter, but not of ones.
    ['4081 00 0161', 'ends within a letter'],
  ])('refuses %s', (hex, words) => {
    expect(() => reader()(hex)).toThrow(words);
  });

  it('bounds what a small block can blow up to', () => {
    const read = reader();
    const letters = Buffer.alloc(3_900, 'a').toString('hex');
    // 127 + 3773: a value of 3,900 letters, kept; then it is named again and again.
    expect(read(`40 01 61 7f bd1d ${letters}`)).toHaveLength(1);
    expect(() => read('be'.repeat(Math.ceil(MOST_FIELD_BYTES / 3_900) + 1))).toThrow(
      'too many header fields',
    );
  });
});
