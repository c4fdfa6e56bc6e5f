import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainClient, plimsollClient } from '../../../../bench/grpc/restart/clients.js';
import { restartUnderLoad } from '../../../../bench/grpc/restart/rolling-restart.js';
import { root } from '../../../tidy/sources.js';

/** `PLIMSOLL_RESTART_CALLS=50000` for more of it. */
const CALLS = Number(process.env['PLIMSOLL_RESTART_CALLS'] ?? 5_000);
const MOST_MS = 60_000 + CALLS * 10;

const FLEET = {
  program: join(root, 'test/integration/grpc/server/processes/backend.mjs'),
  backends: 3,
  calls: CALLS,
  restarts: 3,
  mostMs: MOST_MS,
};

test('a rolling restart fails no call of a plain client', { timeout: MOST_MS * 2 }, async () => {
  const { calls, failed, restarts, exitCodes } = await restartUnderLoad({
    ...FLEET,
    connect: plainClient,
    // It is the restart that is tested: a process that has only just begun, on a busy machine, may shed, and nobody retries.
    options: { mode: 'dry-run' },
    drain: { spreadMs: 200, timeoutMs: 10_000 },
    atOnce: 20,
    streams: 0,
  });
  expect({ failed, exitCodes: new Set(exitCodes) }).toEqual({ failed: {}, exitCodes: new Set([0]) });
  expect(calls).toBeGreaterThanOrEqual(CALLS);
  expect(restarts).toBeGreaterThanOrEqual(3);
});

test('nor one of ours where guards enforce; streams end with UNAVAILABLE', {
  timeout: MOST_MS * 2,
}, async () => {
  const { calls, failed, shed, streams, restarts, exitCodes } = await restartUnderLoad({
    ...FLEET,
    connect: plimsollClient,
    options: {},
    // Streams that only their server ends keep a drain waiting for all of it.
    drain: { spreadMs: 200, timeoutMs: 1_000 },
    atOnce: 12,
    streams: 6,
  });
  expect({ failed, exitCodes: new Set(exitCodes) }).toEqual({ failed: {}, exitCodes: new Set([0]) });
  // A machine on which everything runs at once may be too slow for the guards; a restart must not be the reason.
  expect(shed).toBeLessThan(calls * 0.01);
  expect(Object.keys(streams)).toEqual(['UNAVAILABLE']);
  expect(calls).toBeGreaterThanOrEqual(CALLS);
  expect(restarts).toBeGreaterThanOrEqual(3);
});
