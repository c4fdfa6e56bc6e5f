import { expect, it } from 'vitest';
import { addGiven } from './given-headers.js';

it.each([
  ['a flat list', ['x-a', '1', 'set-cookie', 'a', 'set-cookie', 'b']],
  [
    'pairs',
    [
      ['x-a', '1'],
      ['set-cookie', ['a', 'b']],
    ],
  ],
  ['an object', { 'X-A': 1, 'set-cookie': ['a', 'b'], gone: undefined }],
])('takes %s in place of what was set', (_name, given) => {
  const fields = { 'x-a': '0', kept: 'yes' };
  addGiven(fields, given);
  expect(fields).toEqual({ 'x-a': '1', kept: 'yes', 'set-cookie': ['a', 'b'] });
});

it('takes nothing for nothing', () => {
  const fields = { kept: 'yes' };
  addGiven(fields, undefined);
  addGiven(fields, null);
  addGiven(fields, []);
  expect(fields).toEqual({ kept: 'yes' });
});
