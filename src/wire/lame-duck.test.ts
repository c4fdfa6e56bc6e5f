import { expect, it } from 'vitest';
import { isLameDuckAnswer, LAME_DUCK_HEADERS } from './lame-duck.js';

it('is said by one header, and asks to let go', () => {
  expect(LAME_DUCK_HEADERS).toEqual(['x-envoy-immediate-health-check-fail', 'true', 'connection', 'close']);
  expect(isLameDuckAnswer({ 'x-envoy-immediate-health-check-fail': 'true' })).toBe(true);
  expect(isLameDuckAnswer({ 'x-envoy-immediate-health-check-fail': '' })).toBe(true);
  expect(isLameDuckAnswer({ connection: 'close' })).toBe(false);
});
