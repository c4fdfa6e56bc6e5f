import { describe, expect, it } from 'vitest';
import { isHeaderName, isHeaderValue } from './header-chars.js';

describe('characters of headers', () => {
  it('are those of the standard', () => {
    for (let code = 0; code < 0x120; code++) {
      const text = `a${String.fromCharCode(code)}b`;
      expect(isHeaderName(text), `name with ${code}`).toBe(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text));
      const isValue = code === 9 || (code >= 0x20 && code !== 0x7f && code <= 0xff);
      expect(isHeaderValue(text), `value with ${code}`).toBe(isValue);
    }
  });

  it('may be missing in a value, and not in a name', () => {
    expect([isHeaderName(''), isHeaderValue('')]).toEqual([false, true]);
  });
});
