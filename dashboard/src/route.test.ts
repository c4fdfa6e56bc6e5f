import { expect, it } from 'vitest';
import { tabOf } from './route.js';

it.each([
  ['', 'overview'],
  ['#/', 'overview'],
  ['#token=simulator', 'overview'],
  ['#/simulator', 'simulator'],
  ['#/simulator?scenario=x', 'simulator'],
  ['#simulator/x', 'simulator'],
  ['#/simulators', 'overview'],
])('%s is the %s', (hash, tab) => {
  expect(tabOf(hash)).toBe(tab);
});
