import { expect, it } from 'vitest';
import { type RouteConditions, RouteMatch } from './route-match.js';

it.each<[RouteConditions, RouteConditions, boolean]>([
  [{ path: '/*' }, { path: '/a', host: 'x', methods: ['GET'], headers: { a: '1' } }, true],
  [{ path: '/*', host: 'x' }, { path: '/a' }, false],
  [{ path: '/*', host: ['y', '*.x'] }, { path: '/a', host: ['a.x', 'Y'] }, true],
  [{ path: '/*', host: '*.x' }, { path: '/a', host: 'x' }, false],
  [{ path: '/*', host: '*.x' }, { path: '/a', host: '*.a.x' }, true],
  [{ path: '/*', methods: ['GET', 'PUT'] }, { path: '/a', methods: ['HEAD'] }, true],
  [{ path: '/*', methods: ['GET'] }, { path: '/a', methods: ['PUT'] }, false],
  [{ path: '/*', methods: ['GET'] }, { path: '/a' }, false],
  [{ path: '/*', headers: { a: '1' } }, { path: '/a', headers: { A: '1', b: true } }, true],
  [{ path: '/*', headers: { a: true } }, { path: '/a', headers: { a: '1' } }, true],
  [{ path: '/*', headers: { a: true } }, { path: '/a', headers: { a: false } }, false],
  [{ path: '/*', headers: { a: '1' } }, { path: '/a' }, false],
])('%j takes all of %j: %s', (wide, narrow, covers) => {
  expect(new RouteMatch(wide).covers(new RouteMatch(narrow))).toBe(covers);
});
