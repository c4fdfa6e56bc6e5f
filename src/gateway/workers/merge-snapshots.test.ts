import { expect, it } from 'vitest';
import { mergeSnapshots } from './merge-snapshots.js';

const busy = (key: string, hits: number, refused: number) => ({ key, hits, refused });

const one = {
  process: { pid: 1, residentBytes: 100 },
  guard: {
    mode: 'enforce',
    inFlight: 2,
    waiting: 0,
    connections: 5,
    counts: { CRITICAL: { admitted: 7 }, SHEDDABLE: { admitted: 1 } },
    customers: { acme: { started: 2 } },
    gate: { limit: 9 },
    recent: [
      { atMs: 30, reason: 'queue' },
      { atMs: 10, reason: 'quota' },
    ],
  },
  recent: [{ atMs: 5, reason: 'limited' }],
  routes: {
    a: {
      service: 's',
      requests: 3,
      limited: 1,
      limits: { five: { allowed: 5, refused: 2, busiest: [busy('x', 4, 2), busy('y', 3, 0)] } },
    },
  },
  unrouted: 1,
  refusedConnections: 5,
};
const two = {
  process: { pid: 2, residentBytes: 50 },
  guard: {
    mode: 'enforce',
    inFlight: 1,
    waiting: 4,
    connections: 1,
    counts: { CRITICAL: { admitted: 3 } },
    customers: { acme: { started: 1 } },
    recent: [{ atMs: 20, reason: 'evicted' }],
  },
  recent: [{ atMs: 6, reason: 'no-route' }],
  routes: {
    a: {
      service: 's',
      requests: 4,
      limited: 0,
      limits: { five: { allowed: 1, refused: 0, busiest: [busy('z', 5, 1), busy('y', 3, 3)] } },
    },
    b: { service: 's', requests: 9 },
  },
  unrouted: 2,
  refusedConnections: 2,
};

it('adds up what is counted', () => {
  expect(mergeSnapshots([one, two])).toEqual({
    guard: {
      inFlight: 3,
      waiting: 4,
      connections: 6,
      counts: { CRITICAL: { admitted: 10 }, SHEDDABLE: { admitted: 1 } },
      customers: { acme: { started: 3 } },
      recent: [
        { atMs: 30, reason: 'queue' },
        { atMs: 20, reason: 'evicted' },
        { atMs: 10, reason: 'quota' },
      ],
    },
    routes: {
      a: {
        requests: 7,
        limited: 1,
        limits: {
          five: { allowed: 6, refused: 2, busiest: [busy('y', 6, 3), busy('z', 5, 1), busy('x', 4, 2)] },
        },
      },
      b: { requests: 9, limits: {} },
    },
    recent: [
      { atMs: 6, reason: 'no-route' },
      { atMs: 5, reason: 'limited' },
    ],
    unrouted: 3,
    refusedConnections: 7,
    residentBytes: 150,
  });
});

it('takes whatever a worker says', () => {
  expect(mergeSnapshots([])).toMatchObject({ routes: {} });
  expect(mergeSnapshots([{ guard: null, routes: { a: 7 } }, { guard: 3 }])).toMatchObject({
    routes: { a: {} },
  });
});
