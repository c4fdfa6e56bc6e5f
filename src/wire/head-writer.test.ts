import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeadWriter } from './head-writer.js';
import { isHeaderName, isHeaderValue } from './header-chars.js';

describe('HeadWriter', () => {
  it('makes one text of what was put, in its order', () => {
    const head = new HeadWriter();
    head.put('GET / HTTP/1.1\r\n');
    head.putField('host', 'orders');
    expect(head.tryPutField('X-One', '1')).toBe(true);
    head.put('\r\n');
    expect(head.take()).toBe('GET / HTTP/1.1\r\nhost: orders\r\nX-One: 1\r\n\r\n');
  });

  it('knows nothing of the one before, be it whole or given up', () => {
    const head = new HeadWriter();
    head.putField('host', 'orders');
    expect(head.tryPutField('a', 'b\r\nc: d')).toBe(false);
    head.begin();
    expect(head.take()).toBe('');
    head.putField('a', 'b');
    expect(head.take()).toBe('a: b\r\n');
  });

  it('keeps no character that would become another, such as the end of a line', () => {
    const head = new HeadWriter();
    for (const text of ['\u010a', 'a\u0100', '\ud83d\ude00']) {
      expect(() => head.put(text), text).toThrow(RangeError);
      expect(() => head.putField('a', text), text).toThrow(RangeError);
      expect(head.tryPutField('a', text), text).toBe(false);
    }
    head.begin();
    expect(head.take()).toBe('');
  });

  it('gives out texts that stay as they are', () => {
    const head = new HeadWriter();
    head.put('first');
    const first = head.take();
    head.put('other');
    expect([first, head.take()]).toEqual(['first', 'other']);
  });

  it('has room for whatever is put, and for the next one after it', () => {
    const head = new HeadWriter();
    for (const length of [4_090, 4_096, 70_000, 10, 200_000]) {
      const value = 'v'.repeat(length);
      head.begin();
      head.putField('a', value);
      expect(head.tryPutField('b', value)).toBe(true);
      expect(head.take() === `a: ${value}\r\nb: ${value}\r\n`, String(length)).toBe(true);
    }
  });

  it('refuses just what can stand in no head, and sends all else byte by byte', () => {
    const any = fc.nat({ max: 0x120 }).map((code) => String.fromCharCode(code));
    const usual = fc.constantFrom('a', 'Z', '0', '-', '_');
    const text = fc.string({
      unit: fc.oneof({ weight: 20, arbitrary: usual }, { weight: 1, arbitrary: any }),
    });
    fc.assert(
      fc.property(text, text, (name, value) => {
        const head = new HeadWriter();
        const isField = isHeaderName(name) && isHeaderValue(value);
        expect(head.tryPutField(name, value)).toBe(isField);
        if (isField) expect(head.take()).toBe(`${name}: ${value}\r\n`);
      }),
    );
    const head = new HeadWriter();
    expect(head.tryPutField('', 'no name')).toBe(false);
    head.begin();
    expect(head.tryPutField('x', 'gr\xfcn')).toBe(true);
    expect(head.take()).toBe('x: gr\xfcn\r\n');
  });
});
