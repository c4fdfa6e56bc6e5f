import { expect, it } from 'vitest';
import { roleOf } from './child.js';

it('has a role when its primary has given it one', () => {
  expect(roleOf({})).toBe(undefined);
  expect(roleOf({ PLIMSOLL_DEMO_ROLE: 'backend' })).toBe('backend');
  expect(roleOf({ PLIMSOLL_DEMO_ROLE: 'load' })).toBe('load');
  expect(roleOf({ PLIMSOLL_DEMO_ROLE: 'else' })).toBe(undefined);
});
