import { expect, it } from 'vitest';
import { ResolverStates, type SeenResolver } from './resolver-states.js';

const seen = (resolverError?: string, known = 0): SeenResolver[] => [
  { service: 'users', resolverError, known },
];

it('tells why backends cannot be found, at the first look too, and when they are again', () => {
  const states = new ResolverStates();
  expect(states.changes(seen('no such name'))).toEqual([
    { service: 'users', reason: 'no such name', known: 0 },
  ]);
  expect(states.changes(seen('no such name'))).toEqual([]);
  expect(states.changes(seen('timeout'))).toHaveLength(1);
  expect(states.changes(seen(undefined, 2))).toEqual([{ service: 'users', reason: undefined, known: 2 }]);
  expect(states.changes(seen(undefined, 2))).toEqual([]);
});

it('forgets services that are gone, and has no news of those that are well', () => {
  const states = new ResolverStates();
  expect(states.changes(seen())).toEqual([]);
  states.changes(seen('no such name'));
  expect(states.changes([])).toEqual([]);
  expect(states.changes(seen())).toEqual([]);
});

it('tells of a hundred at most', () => {
  const all = Array.from({ length: 300 }, (_, i) => ({ service: `s${i}`, resolverError: 'gone', known: 0 }));
  expect(new ResolverStates().changes(all)).toHaveLength(100);
});
