import { expect, test } from 'vitest';
import { restartUnderLoad } from './rolling-restart.js';

/** `PLIMSOLL_RESTART_CALLS=50000` for more of it. */
const CALLS = Number(process.env['PLIMSOLL_RESTART_CALLS'] ?? 5_000);

test('a rolling restart under load fails no call', { timeout: 60_000 + CALLS * 10 }, async () => {
  const { calls, failed, restarts, exitCodes } = await restartUnderLoad(CALLS, 3);
  expect({ failed, exitCodes: new Set(exitCodes) }).toEqual({ failed: {}, exitCodes: new Set([0]) });
  expect(calls).toBeGreaterThanOrEqual(CALLS);
  expect(restarts).toBeGreaterThanOrEqual(3);
});
