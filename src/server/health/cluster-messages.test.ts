import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseClusterMessage } from './cluster-messages.js';

it('reads ours', () => {
  expect(parseClusterMessage({ plimsoll: 'drain' })).toEqual({ plimsoll: 'drain' });
  const message = { plimsoll: 'health', health: { state: 'ready', report: { inFlight: 2, latencyMs: 0 } } };
  expect(parseClusterMessage(message)).toEqual(message);
  expect(
    parseClusterMessage({ ...message, health: { state: 'ready', report: { inFlight: 2, other: 'x' } } }),
  ).toEqual({
    plimsoll: 'health',
    health: { state: 'ready', report: { inFlight: 2 } },
  });
});

it('leaves the application’s alone', () => {
  for (const message of [
    ...[
      undefined,
      null,
      7,
      'drain',
      [],
      {},
      { cmd: 'drain' },
      { plimsoll: 'other' },
      { plimsoll: ['drain'] },
    ],
    ...[
      { plimsoll: 'health' },
      { plimsoll: 'health', health: null },
      { plimsoll: 'health', health: { state: 'x' } },
    ],
    { plimsoll: 'health', health: { state: 'ready', report: { inFlight: -1 } } },
    { plimsoll: 'health', health: { state: 'ready', report: { inFlight: '1' } } },
    { plimsoll: 'health', health: { state: 'ready', report: { latencyMs: Number.NaN } } },
  ]) {
    expect(parseClusterMessage(message)).toBeUndefined();
  }
});

it('never throws', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3, depthSize: 'small' }), (health) => {
      parseClusterMessage(health);
      parseClusterMessage({ plimsoll: 'health', health });
    }),
  );
});
