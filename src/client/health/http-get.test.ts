import { expect, it } from 'vitest';
import { hostOf, portOf } from './http-get.js';

it.each([
  ['http://a.b', 'a.b', 80],
  ['https://a.b', 'a.b', 443],
  ['https://a.b:80', 'a.b', 80],
  ['http://[::1]:8080/x', '::1', 8_080],
])('%s', (url, host, port) => {
  expect([hostOf(new URL(url)), portOf(new URL(url))]).toEqual([host, port]);
});
