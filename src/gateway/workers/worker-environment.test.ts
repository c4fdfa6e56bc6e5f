import { expect, it } from 'vitest';
import { workerEnvironment } from './worker-environment.js';

const GB = 2 ** 30;
/** Where somebody has said how large the young generation is, nothing is to be said of it. */
const SAID = { execArgv: ['--max-semi-space-size=16'], memoryBytes: GB };

it('numbers workers of all gateways without gaps', () => {
  const ids = ['0', '1'].flatMap((gateway) =>
    [0, 1, 2].map((slot) =>
      workerEnvironment({ slot, workers: 3 }, { ...SAID, environment: { PLIMSOLL_CLIENT_ID: gateway } }),
    ),
  );
  expect(ids.map((each) => each['PLIMSOLL_CLIENT_ID'])).toEqual(['0', '1', '2', '3', '4', '5']);
  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', HOSTNAME: 'gateway-2' };
  expect(workerEnvironment({ slot: 1, workers: 2 }, { ...SAID, environment: pod })).toEqual({
    PLIMSOLL_CLIENT_ID: '5',
  });
});

it('says nothing where there is no number', () => {
  expect(workerEnvironment({ slot: 1, workers: 2 }, { ...SAID, environment: {} })).toEqual({});
});

it('divides the memory among the workers, and leaves what Node was told before', () => {
  const primary = { execArgv: [], memoryBytes: 2 * GB };
  expect(workerEnvironment({ slot: 0, workers: 4 }, { ...primary, environment: {} })).toEqual({
    NODE_OPTIONS: '--max-semi-space-size=32',
  });
  const environment = { NODE_OPTIONS: '--no-warnings' };
  expect(workerEnvironment({ slot: 0, workers: 2 }, { ...primary, environment })).toEqual({
    NODE_OPTIONS: '--no-warnings --max-semi-space-size=64',
  });
});

it('leaves it to whoever has said how large the young generation is', () => {
  const environment = { NODE_OPTIONS: '--max-semi-space-size=8' };
  expect(workerEnvironment({ slot: 0, workers: 1 }, { execArgv: [], memoryBytes: GB, environment })).toEqual(
    {},
  );
});
