import { expect, it } from 'vitest';
import { fleetSchema } from '../fleet/index.js';
import { createDistribution } from '../models/index.js';
import { prequalModel } from './prequal-model.js';

const LONG = { warmupMs: 1_000, durationMs: 1_000 };

it('asks for the load that it is told, in parts of what is reserved', () => {
  const { services, clients } = fleetSchema.parse(prequalModel({ policy: 'prequal', load: 0.9, ...LONG }));
  const { arrivals, count } = clients['callers']!;
  const { costMs, backends } = services['web']!;
  const [group] = backends as Exclude<typeof backends, number>;
  const demand = ((arrivals as number) * count * createDistribution(costMs).mean) / 1_000;
  expect(demand / (group!.count * group!.cores)).toBeCloseTo(0.9, 3);
});

it('compares nothing but where requests are sent', () => {
  const { services, clients } = fleetSchema.parse(prequalModel({ policy: 'weighted', load: 1, ...LONG }));
  expect(services['web']!.guard).toBe(false);
  expect(clients['callers']).toMatchObject({
    throttle: false,
    ejects: false,
    retry: { maxAttempts: 1 },
    policy: 'weighted',
  });
});
