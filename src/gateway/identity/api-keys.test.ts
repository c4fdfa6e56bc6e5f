import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { ApiKeys } from './api-keys.js';

const hashed = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;

it('knows whose key it is by its hash', () => {
  const acme = { customer: 'acme' };
  const keys = new ApiKeys({
    [hashed('one')]: acme,
    [hashed('two').toUpperCase().replace('SHA', 'sha')]: acme,
  });
  expect(keys.size).toBe(2);
  expect([keys.find('one'), keys.find('two')]).toEqual([acme, acme]);
  for (const wrong of [undefined, '', 'One', 'one ', hashed('one'), 'x'.repeat(600)])
    expect(keys.find(wrong)).toBe(undefined);
});
