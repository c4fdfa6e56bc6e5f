import { expect, it } from 'vitest';
import { asksForHttp2 } from './http-upgrade.js';

it.each([
  [true, ['Host', 'a', 'Upgrade', 'h2c']],
  [true, ['upgrade', 'H2C', 'upgrade', 'h2c']],
  [false, ['Host', 'a']],
  [false, ['Upgrade', 'websocket']],
  [false, ['Upgrade', 'h2c', 'Upgrade', 'websocket']],
  [false, ['Upgrade', 'websocket, h2c']],
])('is %s of %j', (expected, headers) => {
  expect(asksForHttp2(headers)).toBe(expected);
});
