import { expect, it } from 'vitest';
import { withPolicy } from './with-policy.js';

it('changes how every client and every call chooses, and nothing else', () => {
  const fleet = {
    durationMs: 1_000,
    services: { web: { backends: 3, calls: [{ service: 'db', times: 2 }] }, db: { backends: 1 } },
    clients: {
      one: { service: 'web', arrivals: 1 },
      two: { service: 'web', arrivals: 2, policy: { name: 'prequal' as const, poolSize: 8 } },
    },
  };
  const before = structuredClone(fleet);
  expect(withPolicy(fleet, 'weighted')).toEqual({
    ...fleet,
    services: {
      web: { backends: 3, calls: [{ service: 'db', times: 2, policy: 'weighted' }] },
      db: { backends: 1 },
    },
    clients: {
      one: { service: 'web', arrivals: 1, policy: 'weighted' },
      two: { service: 'web', arrivals: 2, policy: 'weighted' },
    },
  });
  expect(fleet).toEqual(before);
});
