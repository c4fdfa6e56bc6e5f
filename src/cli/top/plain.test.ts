import { expect, it } from 'vitest';
import { plain } from './plain.js';

it.each([
  ['a\u001b[2Jb', 'a?[2Jb'],
  ['a\u009b2Jb', 'a?2Jb'],
  ['a\r\nb\u007f', 'a??b?'],
  ['a\u202eb', 'a?b'],
  ['käse → 鍵 █', 'käse → 鍵 █'],
])('%j is shown as %j', (text, shown) => {
  expect(plain(text)).toBe(shown);
});
