import { expect, it } from 'vitest';
import { workerEnvironment } from './worker-environment.js';

it('numbers workers of all gateways without gaps', () => {
  const ids = ['0', '1'].flatMap((gateway) =>
    [0, 1, 2].map((slot) => workerEnvironment({ slot, workers: 3 }, { PLIMSOLL_CLIENT_ID: gateway })),
  );
  expect(ids.map((each) => each['PLIMSOLL_CLIENT_ID'])).toEqual(['0', '1', '2', '3', '4', '5']);
  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', HOSTNAME: 'gateway-2' };
  expect(workerEnvironment({ slot: 1, workers: 2 }, pod)).toEqual({ PLIMSOLL_CLIENT_ID: '5' });
});

it('says nothing where there is no number', () => {
  expect(workerEnvironment({ slot: 1, workers: 2 }, {})).toEqual({});
});
