import { expect, it } from 'vitest';
import { type FleetInput, fleetSchema } from '../../../src/simulator/fleet/index.js';
import { effortOf, MOST_LINKS } from './effort.js';

const FLEET: FleetInput = {
  warmupMs: 5_000,
  durationMs: 15_000,
  services: {
    web: { backends: [{ count: 3 }, { count: 2 }], calls: [{ service: 'search', times: 2 }] },
    search: { backends: 10, calls: [{ service: 'disk', subset: { size: 4 } }] },
    disk: { backends: 100 },
  },
  clients: {
    people: { count: 10, service: 'web', arrivals: 5, subset: { size: 3 } },
    crawlers: {
      service: 'disk',
      arrivals: { perSecond: 10, spikes: [{ atMs: 0, forMs: 2_000, factor: 3 }] },
    },
  },
};

const effort = (fleet: FleetInput, runs?: number) => effortOf(fleetSchema.parse(fleet), runs);

it('counts requests with all that they call', () => {
  // Each of a person's leads to 2 searches and 2 reads of a disk; the spike is 2 s of 20 more.
  expect(effort(FLEET).requests).toBe(10 * 5 * 20 * 5 + 10 * 24);
});

it('counts who knows whom', () => {
  expect(effort(FLEET).links).toBe(10 * 3 + 100 + 5 * 10 + 10 * 4);
});

it('takes as much again for each policy', () => {
  expect(effort(FLEET, 3).requests).toBe(3 * effort(FLEET).requests);
  expect(effort(FLEET, 3).seconds).toBeCloseTo(3 * effort(FLEET).seconds);
});

it('is what was measured of fleets of ten, and of a thousand', () => {
  const fleet = (count: number, subset?: { size: number }): FleetInput => ({
    durationMs: 95_000,
    services: { web: { backends: count } },
    clients: { all: { count, service: 'web', arrivals: 1_000 / count, ...(subset && { subset }) } },
  });
  expect(effort(fleet(10)).seconds).toBeCloseTo(0.4);
  expect(effort(fleet(1_000, { size: 20 })).seconds).toBeCloseTo(1.6);
  expect(effort(fleet(1_000, { size: 20 })).links).toBeLessThan(MOST_LINKS);
  expect(effort(fleet(1_000)).links).toBeGreaterThan(MOST_LINKS);
});
