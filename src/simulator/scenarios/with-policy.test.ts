import { expect, it } from 'vitest';
import { withPolicy } from './with-policy.js';

it('changes how every client chooses, and nothing else', () => {
  const fleet = {
    durationMs: 1_000,
    services: { web: { backends: 3 } },
    clients: {
      one: { service: 'web', arrivals: 1 },
      two: { service: 'web', arrivals: 2, policy: { name: 'prequal' as const, poolSize: 8 } },
    },
  };
  const before = structuredClone(fleet);
  expect(withPolicy(fleet, 'weighted')).toEqual({
    ...fleet,
    clients: {
      one: { service: 'web', arrivals: 1, policy: 'weighted' },
      two: { service: 'web', arrivals: 2, policy: 'weighted' },
    },
  });
  expect(fleet).toEqual(before);
});
