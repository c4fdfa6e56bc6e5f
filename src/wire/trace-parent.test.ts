import fc from 'fast-check';
import { expect, it } from 'vitest';
import { traceIdOf } from './trace-parent.js';

/** Any 16 bits, halves of a pair included. */
const ANY_UNIT = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));

const ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const VALID = `00-${ID}-${SPAN}-01`;

it('finds the trace id', () => {
  expect(traceIdOf(VALID)).toBe(ID);
  expect(traceIdOf(`00-${ID}-${SPAN}-00`)).toBe(ID);
});

it('takes a later version, which may say more', () => {
  expect(traceIdOf(`01-${ID}-${SPAN}-01`)).toBe(ID);
  expect(traceIdOf(`cc-${ID}-${SPAN}-01-what-is-to-come`)).toBe(ID);
  expect(traceIdOf(`cc-${ID}-${SPAN}-01.what`)).toBeUndefined();
  expect(traceIdOf(`cc-${ID}-${SPAN}-01-${'x'.repeat(512)}`)).toBeUndefined();
});

it.each([
  ['nothing', ''],
  ['no version', `ff-${ID}-${SPAN}-01`],
  ['a version that is no number', `0g-${ID}-${SPAN}-01`],
  ['more than version 00 has', `${VALID}-x`],
  ['an id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a parent of zeros', `00-${ID}-${'0'.repeat(16)}-01`],
  ['capitals', VALID.toUpperCase()],
  ['an id that is no number', `00-${ID.replace('a', 'g')}-${SPAN}-01`],
  ['a parent that is no number', `00-${ID}-${SPAN.replace('a', ':')}-01`],
  ['flags that are no number', `00-${ID}-${SPAN}-0/`],
  ['other dashes', VALID.replaceAll('-', '_')],
  ['the second dash elsewhere', `00-${ID}0${SPAN}-01`],
  ['the third dash elsewhere', `00-${ID}-${SPAN}001`],
  ['too little', VALID.slice(0, -1)],
])('does not take %s', (_, text) => {
  expect(traceIdOf(text)).toBeUndefined();
});

it('never throws, and only ever gives 32 hexadecimal digits', () => {
  const near = fc
    .tuple(fc.nat({ max: 54 }), fc.string({ unit: ANY_UNIT, minLength: 1, maxLength: 2 }))
    .map(([at, text]) => VALID.slice(0, at) + text + VALID.slice(at + text.length));
  fc.assert(
    fc.property(fc.oneof(near, fc.string({ maxLength: 600 })), (text) => {
      expect(traceIdOf(text) ?? ID).toMatch(/^[0-9a-f]{32}$/);
    }),
  );
});
