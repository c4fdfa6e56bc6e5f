import { expect, it } from 'vitest';
import { costOf, Work } from './work.js';

it.each([
  ['/page?cost=2', 2],
  ['/page?x=1&cost=0.5', 0.5],
  ['/page', 1],
  ['/page?cost=', 1],
  ['/page?cost=0', 1],
  ['/page?cost=1.2.3', 1],
  ['/page?cost=1000000', 1],
])('%s costs %d', (url, cost) => {
  expect(costOf(url)).toBe(cost);
});

it('takes as many times longer as it is told', async () => {
  const work = new Work({ speed: 1, roundsPerMs: 20_000 });
  const took = async (slowdown: number) => {
    work.slowdown = slowdown;
    const startMs = performance.now();
    await work.do(1);
    return performance.now() - startMs;
  };
  for (let time = 0; time < 20; time++) await took(1);
  const usual = Math.min(await took(1), await took(1), await took(1));
  expect(await took(50)).toBeGreaterThan(5 * usual);
});
