import { expect, it } from 'vitest';
import { Soak } from './soak.js';

/** `npm run -s bench -- gateway --only soak --for 60m` is the long form. */
it('serves all through reloads and restarts of everything around it', async () => {
  const soaked = await Soak.run({
    seconds: 25,
    perSecond: 100,
    restartEveryMs: 3_000,
    redisEveryMs: 9_000,
    isGuarded: false,
  });
  expect([soaked.failed, soaked.shed]).toEqual([{}, 0]);
  expect(soaked.served + soaked.limited).toBe(soaked.sent);
  expect(soaked.sent).toBeGreaterThan(1_500);
  expect(soaked.reloads).toBeGreaterThan(8);
  expect(soaked.restarts).toBeGreaterThan(4);
  expect(soaked.redisRestarts).toBeGreaterThan(0);
});
