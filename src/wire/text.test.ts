import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isNamed, isWithin, parseDigits } from './text.js';

it('knows a name in any case, and no other', () => {
  for (const name of ['expect', 'Expect', 'EXPECT', 'eXpEcT']) expect(isNamed(name, 'expect')).toBe(true);
  for (const name of ['', 'accept', 'expecT ', 'expec', 'expects', 'e\u0058pec\u{1d413}']) {
    expect(isNamed(name, 'expect')).toBe(false);
  }
  // Kelvin, which toLowerCase() makes a k; and @ and `, which differ from each other as a letter from its capital.
  expect(isNamed('\u212a', 'k')).toBe(false);
  expect(isNamed('@', '`')).toBe(false);
  expect(isNamed('[', '{')).toBe(false);
});

it('compares as lower case does, in ASCII', () => {
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 8 });
  fc.assert(
    fc.property(ascii, ascii, (name, other) => {
      expect(isNamed(name, name.toLowerCase())).toBe(true);
      expect(isNamed(name, other.toLowerCase())).toBe(name.toLowerCase() === other.toLowerCase());
    }),
  );
});

it('reads whole numbers of so many digits, and nothing else', () => {
  expect(parseDigits('0', 3)).toBe(0);
  expect(parseDigits('007', 3)).toBe(7);
  expect(parseDigits('999', 3)).toBe(999);
  for (const text of ['', '1000', '-1', '+1', ' 1', '1 ', '1.5', '1e2', '0x1', '/', ':', '١']) {
    expect(parseDigits(text, 3)).toBe(-1);
  }
});

it('reads every number it is given as text', () => {
  fc.assert(
    fc.property(fc.nat(), (value) => {
      expect(parseDigits(String(value), 10)).toBe(value);
    }),
  );
});

it('sees what lies outside of a range', () => {
  expect(isWithin('', 1, 2)).toBe(true);
  expect(isWithin('!~', 0x21, 0x7e)).toBe(true);
  expect(isWithin('a ', 0x21, 0x7e)).toBe(false);
  expect(isWithin('a\x7f', 0x21, 0x7e)).toBe(false);
});
